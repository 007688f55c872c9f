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

// The byte after these columns, between characters.
size_t byte_at(const std::string& text, size_t columns) {
  size_t at = 0;
  for (size_t used = 0; at < text.size(); ++at) {
    used += (text[at] & 0xc0) != 0x80;
    if (used > columns) break;
  }
  return at;
}

// In lines of at most `columns`, broken at a blank where there is one.
std::vector<std::string> wrapped(std::string text, size_t columns) {
  std::vector<std::string> lines;
  while (columns_of(text) > columns) {
    size_t end = byte_at(text, columns);
    const size_t blank = text.rfind(' ', end);
    if (blank != text.npos && blank > 0) end = blank;
    lines.push_back(text.substr(0, end));
    text.erase(0, end + (text[end] == ' '));
  }
  lines.push_back(std::move(text));
  return lines;
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
    text += fmt::format("{} {}{} {}\n", frame.side, line,
                        std::string(inner - columns_of(line), ' '), frame.side);
  }
  return text + fmt::format("{}{}{}\n", frame.left_bottom, across, frame.right_bottom);
}

// A label in front of lines that fit beside it; where that is narrow, in the first of them.
struct BoxLines {
  size_t inner;
  std::vector<std::string> all = {};

  void add(const std::string& text) {
    for (std::string& line : wrapped(text, inner)) all.push_back(std::move(line));
  }
  void add(const std::string& label, const std::string& curve, const std::string& text) {
    if (inner < 2 * label_columns) return add(label.empty() ? text : label + " " + text);
    std::string head =
        fmt::format("{:<{}}{}{}", label, label_columns, curve, curve.empty() ? "" : "  ");
    const size_t beside = columns_of(head);
    for (const std::string& line : wrapped(text, inner - beside)) {
      all.push_back(head + line);
      head.assign(beside, ' ');
    }
  }
};

// Broken where a shell takes it in several lines, so that it can be copied whatever the width.
std::string in_shell_lines(const std::string& command, size_t columns) {
  constexpr std::string_view indent = "  ", next = " \\\n      ";
  std::string text(indent);
  size_t used = indent.size();
  for (size_t at = 0; at < command.size();) {
    // Options begin words; what is quoted may have blanks.
    const size_t end = std::min(command.find(" --", at + 1), command.size());
    const std::string part = command.substr(at, end - at);
    if (at > 0 && used + columns_of(part) + 2 > columns) {
      text += next;
      text += part.substr(1);
      used = 6 + columns_of(part) - 1;
    } else {
      text += part;
      used += columns_of(part);
    }
    at = end;
  }
  return text + "\n";
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

std::vector<std::string> SummaryBox::results(const RunEnd& end, const PastEvals& evals,
                                             size_t inner, const BarStyle& style) const {
  const size_t curve = inner > 60 ? 30 : inner > 45 ? 12 : 0;
  const auto drawn = [&](const KeptCurve& values) {
    return block_curve(values.values(), curve, style.unicode);
  };
  BoxLines lines{inner};
  if (!title_.empty()) lines.add(title_);
  if (first_loss_) {
    lines.add("train loss", drawn(losses_),
              fmt::format("{:.4f} {} {:.4f}{}", *first_loss_, style.unicode ? "→" : "->",
                          last_loss_, is_resumed_ ? " since the resume" : ""));
  }
  if (evals.best) {
    const Metric& last = *main_metric(evals.last->metrics);
    const Metric& best = *main_metric(evals.best->metrics);
    const std::string hits = shown_hits(last, evals.last->total);
    lines.add(std::string(last.def->title), drawn(metrics_),
              fmt::format("{}{}{}, best {} in epoch {}", shown_value(last), hits.empty() ? "" : " ",
                          hits, shown_value(best), epoch_number(evals.best->epoch)));
  }
  if (!rates_.values().empty()) {
    lines.add("images/s", drawn(rates_), fmt::format("{:.0f} on average", mean(rates_.values())));
  }
  lines.add(
      "steps", "",
      fmt::format("{} in {}, peak memory {}", with_commas(end.step), human_seconds(end.seconds),
                  human_bytes(static_cast<double>(end.peak_rss_bytes))));
  if (!run_dir_.empty()) lines.add("run", "", shown("{}", run_dir_));
  return lines.all;
}

std::string SummaryBox::text(const RunEnd& end, const PastEvals& evals, int width,
                             const BarStyle& style) const {
  const auto room = static_cast<size_t>(std::clamp(width - 1, 1, most_columns));
  const bool has_frame = width >= least_framed;
  const size_t inner = has_frame ? room - 4 : room;
  std::vector<std::string> lines = results(end, evals, inner, style), commands;
  if (!run_dir_.empty()) {
    const std::string dir = shown("{}", in_shell(run_dir_));
    commands = {"convoy report " + dir, "convoy eval --checkpoint " + dir,
                fmt::format("convoy predict --checkpoint {} --input FILE", dir)};
  }
  const bool fit = has_frame && std::ranges::all_of(commands, [&](const std::string& command) {
                     return label_columns + columns_of(command) <= inner;
                   });
  std::string below;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (fit) {
      lines.push_back(fmt::format("{:<{}}{}", i ? "" : "next", label_columns, commands[i]));
    } else {
      below += (i ? "" : "next:\n") + in_shell_lines(commands[i], room);
    }
  }
  if (has_frame) return framed(lines, inner, style.unicode ? round : plain) + below;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text + below;
}

}  // namespace convoy
