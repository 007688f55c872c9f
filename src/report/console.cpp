#include "report/console.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/clock.h"
#include "base/process.h"
#include "base/show.h"
#include "base/text/text.h"
#include "report/lines.h"
#include "report/summary_box.h"

namespace convoy {
namespace {

constexpr double redraw_s = 0.1;
constexpr const char* wipe = "\r\x1b[K";

// Problems and skipped data: shown even with --quiet.
bool is_warning(const RunEvent& event) {
  return std::holds_alternative<Warning>(event) || std::holds_alternative<BadSample>(event) ||
         std::holds_alternative<NonFinite>(event) || std::holds_alternative<RankLost>(event);
}

// Whether the loss falls: its mean over about 20 steps against that over about 100.
class Trend {
 public:
  LossTrend after(double loss) {
    ++steps_;
    short_ += (loss - short_) / std::min(steps_, 20.0);
    long_ += (loss - long_) / std::min(steps_, 100.0);
    constexpr double least_steps = 20, least_change = 0.01;
    if (steps_ < least_steps || !std::isfinite(loss)) return LossTrend::unknown;
    const double change = (short_ - long_) / std::max(std::abs(long_), 1e-12);
    if (std::abs(change) < least_change) return LossTrend::level;
    return change < 0 ? LossTrend::falling : LossTrend::rising;
  }

 private:
  double steps_ = 0, short_ = 0, long_ = 0;
};

// The byte behind so much of a line as has `columns`; colours have none.
size_t byte_behind(std::string_view line, int columns) {
  size_t at = 0;
  for (int used = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b') {
      at = std::min(line.find('m', at), line.size() - 1);
    } else if ((line[at] & 0xc0) != 0x80 && ++used > columns) {
      break;
    }
  }
  return at;
}

// Lines that are wider than the terminal are broken between their parts, which two blanks divide,
// or else between words. A word that is wider stays whole, for the terminal to break.
std::string broken(std::string_view text, int width) {
  std::string lines;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string_view indent;
    for (;;) {
      const auto room = std::max(width - static_cast<int>(indent.size()), 1);
      const size_t end = byte_behind(line, room);
      size_t at = end < line.size() ? line.rfind("  ", end) : line.npos;
      if (end < line.size() && (at == line.npos || at == 0)) at = line.rfind(' ', end);
      if (at == line.npos || at == 0) break;
      lines += fmt::format("{}{}\n", indent, line.substr(0, at));
      line.remove_prefix(std::min(line.find_first_not_of(' ', at), line.size()));
      indent = "  ";
    }
    lines += fmt::format("{}{}\n", indent, line);
  }
  return lines;
}

class Console : public Listener {
 public:
  explicit Console(ConsoleOptions options)
      : options_(std::move(options)), lines_(options_.seconds, date_and_time) {}
  ~Console() override { clear(); }

  void on(const RunEvent& event) override {
    remember(event);
    if (const auto* end = std::get_if<RunEnd>(&event)) {
      finish(*end);
    } else if (options_.quiet) {
      if (is_warning(event)) say(lines_.of(event));
    } else if (options_.terminal) {
      draw(event);
    } else {
      say(lines_.of(event));
    }
  }

 private:
  void remember(const RunEvent& event) {
    if (const auto* e = std::get_if<RunStart>(&event)) run_dir_ = e->run_dir;
    if (const auto* e = std::get_if<Resumed>(&event)) run_dir_ = e->run_dir;
    if (const auto* e = std::get_if<TrainProgress>(&event)) progress_ = *e;
    if (const auto* e = std::get_if<EvalDone>(&event)) options_.evals.add(*e);
    box_.hear(event);
  }

  void draw(const RunEvent& event) {
    std::visit(
        Cases{
            [&](const RunStart& e) { say(header(e)); },
            [&](const TrainProgress& e) { train_bar(e); },
            [&](const EvalProgress& e) { eval_bar(e); },
            [&](const EvalDone& e) { say(eval_line(e)); },
            [&](const EpochDone& e) {
              if (e.eval.empty()) {
                say(fmt::format("{}  train loss {:.4f}\n", epoch_label(e.epoch), e.train_loss));
              }
            },
            // Routine events: only in log.txt.
            [](const PlanReady&) {},
            [](const CheckpointSaved&) {},
            [&](const auto&) { say(lines_.of(event)); },
        },
        event);
  }

  // "epoch  3/10"
  std::string epoch_label(int64_t epoch) const {
    if (progress_.steps_per_epoch <= 0) return fmt::format("epoch {}", epoch);
    const std::string all = std::to_string((progress_.total_steps + progress_.steps_per_epoch - 1) /
                                           progress_.steps_per_epoch);
    return fmt::format("epoch {:>{}}/{}", epoch, all.size(), all);
  }

  static std::string header(const RunStart& e) {
    const std::string text =
        shown("{} on {}{}: {} parameters, {} samples, batch {}, {}, {} thread{}{}\n", e.model,
              e.dataset, e.image.empty() ? "" : shown(" ({})", e.image), with_commas(e.parameters),
              with_commas(e.length.train_samples), e.batch.global_batch,
              e.length.epochs > 0
                  ? fmt::format("{} epochs of {} steps", e.length.epochs, e.length.steps_per_epoch)
                  : fmt::format("{} steps", e.length.total_steps),
              e.processes.threads, e.processes.threads == 1 ? "" : "s",
              e.processes.count == 1
                  ? ""
                  : fmt::format(" in each of {} processes, which have {} of {} replicas",
                                e.processes.count, e.split, e.batch.replicas));
    return text + default_lines(e) +
           (e.run_dir.empty() ? "" : shown("run directory {}\n", e.run_dir));
  }

  std::string eval_line(const EvalDone& e) const {
    const bool has_trained = progress_.steps_per_epoch > 0;  // false in `convoy eval`
    std::string text =
        fmt::format("{}  {}{}", epoch_label(epoch_number(e.epoch)),
                    has_trained ? fmt::format("train loss {:.4f}  ", progress_.epoch_loss) : "",
                    e.ema ? "EMA eval" : "eval");
    for (const Metric& metric : e.metrics) {
      text += metric.def->is_main ? fmt::format(" {} ", strong(metric, e.total))
                                  : fmt::format(" {} {} ", metric.def->title, shown_value(metric));
    }
    return text.substr(0, text.size() - 1) + "\n";
  }

  // The main metric: "top-1 91.20% (9120/10000)" with the value in bold.
  std::string strong(const Metric& metric, int64_t samples) const {
    const std::string hits = shown_hits(metric, samples);
    return fmt::format("{} {}{}{}", metric.def->title, bold(shown_value(metric)),
                       hits.empty() ? "" : " ", hits);
  }

  std::string bold(const std::string& text) const {
    return options_.style.colour ? "\x1b[1m" + text + "\x1b[0m" : text;
  }

  void train_bar(const TrainProgress& e) {
    const double now = options_.seconds();
    const std::optional<double> eta = eta_.after(e.step, e.total_steps, now);
    const int64_t epoch = epoch_number(e.epoch);
    const double done = e.epoch - static_cast<double>(epoch - 1);
    show({.label = epoch_label(epoch),
          .done = std::llround(done * static_cast<double>(e.steps_per_epoch)),
          .total = e.steps_per_epoch,
          .loss = e.loss,
          .trend = trend_.after(e.loss),
          .metric = e.metric,
          .images_per_s = e.images_per_s,
          .eta_s = eta,
          .memory_bytes = options_.memory ? options_.memory() : 0},
         now);
  }

  void eval_bar(const EvalProgress& e) {
    show({.label = "evaluation", .done = e.samples, .total = e.total}, options_.seconds());
  }

  void show(const Bar& bar, double now) {
    if (shown_ && now - shown_at_ < redraw_s) return;
    // Over the old one, and then the rest of the line: a line wiped first would flicker.
    options_.write("\r" + render_bar(bar, options_.width(), options_.style) + "\x1b[K");
    shown_ = true;
    shown_at_ = now;
  }

  void clear() {
    if (shown_) options_.write(wipe);
    shown_ = false;
  }

  void say(const std::string& text) {
    if (text.empty()) return;
    clear();
    options_.write(options_.terminal ? broken(text, options_.width()) : text);
  }

  void finish(const RunEnd& e) {
    std::string text;
    if (e.exit == 0 && options_.terminal && !options_.quiet) {
      text = box_.text(e, options_.evals, options_.width(), options_.style);
      if (!e.weights_hash.empty()) text += shown("weights {}\n", e.weights_hash);
      clear();
      return options_.write(text);
    }
    if (!options_.quiet) {
      text = shown("{} {} steps in {}, peak memory {}\n",
                   e.exit == 0 ? "done:" : fmt::format("exit {}:", e.exit), with_commas(e.step),
                   human_seconds(e.seconds), human_bytes(static_cast<double>(e.peak_rss_bytes)));
    }
    if (const auto& [last, best] = options_.evals; best) {
      text +=
          fmt::format("{}, best {} in epoch {}\n", strong(*main_metric(last->metrics), last->total),
                      shown_value(*main_metric(best->metrics)), epoch_number(best->epoch));
    }
    if (!options_.quiet && !run_dir_.empty()) {
      text += e.exit == 75 ? shown("go on with: convoy resume {}\n", run_dir_)
                           : shown("everything is in {}\n", run_dir_);
    }
    if (!e.weights_hash.empty()) text += shown("weights {}\n", e.weights_hash);
    say(text);
  }

  ConsoleOptions options_;
  Lines lines_;
  Eta eta_;
  Trend trend_;
  SummaryBox box_;
  TrainProgress progress_;
  std::string run_dir_;
  bool shown_ = false;
  double shown_at_ = 0;
};

// Write errors are ignored: a closed pipe must not end the training.
void write_out(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int number = columns ? std::atoi(columns) : 0;
  return number > 0 ? number : 80;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = variable(name);
    if (!value.empty()) {
      return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos;
    }
  }
  return false;
}

}  // namespace

ConsoleOptions console_options(bool quiet, bool plain, bool relayed) {
  const bool terminal =
      !plain && !relayed && ::isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
  return {
      .quiet = quiet,
      .terminal = terminal,
      .style = {.unicode = locale_is_utf8(), .colour = terminal && variable("NO_COLOR").empty()},
      .write = write_out,
      .width = terminal_width,
      .seconds = steady_seconds,
      .memory = resident_bytes};
}

std::unique_ptr<Listener> console_listener(ConsoleOptions options) {
  return std::make_unique<Console>(std::move(options));
}

}  // namespace convoy
