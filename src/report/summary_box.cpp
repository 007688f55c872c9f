#include "report/summary_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/show.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr int least_framed = 40, most_columns = 100;
constexpr size_t label_columns = 12;

size_t columns_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

// Cut where it is too long, between characters.
std::string fitted(const std::string& text, size_t columns) {
  if (columns_of(text) <= columns) return text;
  std::string cut;
  size_t used = 0;
  for (const char c : text) {
    used += (c & 0xc0) != 0x80;
    if (used > columns) break;
    cut += c;
  }
  return cut;
}

struct Frame {
  std::string_view left_top, right_top, left_bottom, right_bottom, across, side;
};
constexpr Frame round{"╭", "╮", "╰", "╯", "─", "│"}, plain{"+", "+", "+", "+", "-", "|"};

std::string framed(const std::vector<std::string>& lines, size_t inner, const Frame& frame) {
  std::string across;
  for (size_t i = 0; i < inner + 2; ++i) across += frame.across;
  std::string text = fmt::format("{}{}{}\n", frame.left_top, across, frame.right_top);
  for (const std::string& line : lines) {
    const std::string cut = fitted(line, inner);
    text += fmt::format("{} {}{} {}\n", frame.side, cut, std::string(inner - columns_of(cut), ' '),
                        frame.side);
  }
  return text + fmt::format("{}{}{}\n", frame.left_bottom, across, frame.right_bottom);
}

std::string labelled(std::string_view label, const std::string& curve, const std::string& rest) {
  return fmt::format("{:<{}}{}{}{}", label, label_columns, curve, curve.empty() ? "" : "  ", rest);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value / static_cast<double>(values.size());
  return sum;
}

}  // namespace

void SummaryBox::hear(const RunEvent& event) {
  if (const auto* e = std::get_if<RunStart>(&event)) {
    run_dir_ = e->run_dir;
    title_ = shown("{} on {}", e->model, e->dataset);
  }
  if (const auto* e = std::get_if<Resumed>(&event)) {
    run_dir_ = e->run_dir;
    is_resumed_ = !e->path.empty();
  }
  if (const auto* e = std::get_if<TrainProgress>(&event)) {
    losses_.add(e->loss);
    if (e->record) rates_.add(e->images_per_s);
    if (!first_loss_) first_loss_ = e->loss;
    last_loss_ = e->epoch_loss;
  }
  if (const auto* e = std::get_if<EvalDone>(&event); e && !e->ema) {
    if (const Metric* main = main_metric(e->metrics)) metrics_.add(main->value);
  }
}

std::string SummaryBox::text(const RunEnd& end, const PastEvals& evals, int width,
                             const BarStyle& style) const {
  const auto room = static_cast<size_t>(std::clamp(width - 1, 1, most_columns));
  const bool has_frame = width >= least_framed;
  const size_t inner = has_frame ? room - 4 : room;
  const size_t curve = inner > 60 ? 30 : inner > 45 ? 12 : 0;
  const auto drawn = [&](const KeptCurve& values) {
    return block_curve(values.values(), curve, style.unicode);
  };
  const char* to = style.unicode ? "→" : "->";
  std::vector<std::string> lines;
  if (!title_.empty()) lines.push_back(title_);
  if (first_loss_) {
    lines.push_back(labelled("train loss", drawn(losses_),
                             fmt::format("{:.4f} {} {:.4f}{}", *first_loss_, to, last_loss_,
                                         is_resumed_ ? " since the resume" : "")));
  }
  if (evals.best) {
    const Metric& last = *main_metric(evals.last->metrics);
    const Metric& best = *main_metric(evals.best->metrics);
    lines.push_back(
        labelled(last.def->title, drawn(metrics_),
                 fmt::format("{}, best {} in epoch {}",
                             shown_value(last) + (shown_hits(last, evals.last->total).empty()
                                                      ? ""
                                                      : " " + shown_hits(last, evals.last->total)),
                             shown_value(best), epoch_number(evals.best->epoch))));
  }
  if (!rates_.values().empty()) {
    lines.push_back(labelled("images/s", drawn(rates_),
                             fmt::format("{:.0f} on average", mean(rates_.values()))));
  }
  lines.push_back(labelled(
      "steps", "",
      fmt::format("{} in {}, peak memory {}", with_commas(end.step), human_seconds(end.seconds),
                  human_bytes(static_cast<double>(end.peak_rss_bytes)))));
  if (!run_dir_.empty()) {
    const std::string dir = shown("{}", in_shell(run_dir_));
    lines.push_back(labelled("run", "", shown("{}", run_dir_)));
    lines.push_back(labelled("next", "", "convoy report " + dir));
    lines.push_back(labelled("", "", "convoy eval --checkpoint " + dir));
    lines.push_back(
        labelled("", "", fmt::format("convoy predict --checkpoint {} --input FILE", dir)));
  }
  if (has_frame) return framed(lines, inner, style.unicode ? round : plain);
  std::string text;
  for (const std::string& line : lines) text += fitted(line, inner) + "\n";
  return text;
}

}  // namespace convoy
