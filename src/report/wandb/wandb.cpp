#include "report/wandb/wandb.h"

#include <fmt/format.h>
#include <time.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/text/json_text.h"
#include "pictures/png.h"
#include "report/lines.h"
#include "report/metrics_json.h"
#include "report/shown_pictures.h"
#include "report/tensorboard/tensorboard.h"
#include "report/wandb/wandb_session.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

std::string number_text(double value) {
  constexpr std::array names{"NaN", "Infinity", "-Infinity"};
  if (std::isfinite(value)) return fmt::format("{}", value);
  return json_text(names[std::isnan(value) ? 0 : value > 0 ? 1 : 2]);
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Wandb final : public Listener {
 public:
  explicit Wandb(WandbSpec spec) : spec_(std::move(spec)), lines_(steady_seconds, date_and_time) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { hear(e); }, event);
    if (!session_) return;
    if (const std::string text = lines_.of(event); !text.empty()) session_->output(text);
  }

  // The newest row is kept back until nothing more can belong to its step.
  void flush() override {
    if (!session_ || row_.empty()) return;
    session_->history(step_, row_);
    row_.clear();
  }

 private:
  void open(int64_t first_step, bool is_resumed) {
    session_.emplace(WandbSession::About{spec_.folder, spec_.project, spec_.name, spec_.config,
                                         first_step, is_resumed});
    for (const fs::path& path : spec_.files) {
      std::error_code none;
      if (!fs::exists(path, none)) continue;
      session_->file(path.filename().string(), read_file(path, Fault::checkpoint), false);
    }
  }

  void add(int64_t step, const std::string& key, const std::string& value) {
    if (step != step_) flush();
    step_ = step;
    row_[key] = value;
  }

  void hear(const RunStart&) { open(0, false); }
  void hear(const Resumed& e) {
    if (!e.path.empty()) open(e.step + 1, true);
  }

  void hear(const TrainProgress& e) {
    if (!session_ || !e.record) return;
    add(e.step, "train/loss", number_text(e.loss));
    add(e.step, "epoch", number_text(e.epoch));
    add(e.step, "lr", number_text(e.lr));
    add(e.step, "throughput/images_per_s", number_text(e.images_per_s));
    add(e.step, "time/data", number_text(e.data_wait_s));
    if (e.metric) {
      add(e.step, fmt::format("train/{}", e.metric->def->name), number_text(e.metric->value));
    }
    constexpr double mega = 1e6;
    const double cpu = cpu_seconds(), now = steady_seconds();
    JsonTexts system{{"proc.memory.rssMB", number_text(static_cast<double>(e.rss_bytes) / mega)}};
    if (measured_at_ > 0 && now > measured_at_) {
      system["cpu"] = number_text(100 * (cpu - cpu_at_) / (now - measured_at_));
    }
    cpu_at_ = cpu;
    measured_at_ = now;
    session_->system(system);
  }

  void hear(const EvalDone& e) {
    if (!session_) return;
    for (const Metric& metric : e.metrics) {
      const std::string tag = evaluation_tag(metric.def->name, e.ema);
      add(e.step, tag, number_text(metric.value));
      summary_[tag] = number_text(metric.value);
    }
    const Metric* main = main_metric(e.metrics);
    if (main && (!best_ || main->is_better_than(*best_))) {
      best_ = *main;
      summary_[fmt::format("best/{}", main->def->name)] = number_text(main->value);
      summary_["best/step"] = std::to_string(e.step);
    }
    session_->summary(summary_);
  }

  void hear(const PicturesShown& e) {
    if (!session_ || e.all.empty()) return;
    const Pixels grid = grid_of(e);
    const std::string png = encode_png(grid, PngEffort::quick);
    const std::string hash = sha256_hex(png);
    const std::string path =
        fmt::format("media/images/{}_{}_{}.png", e.what, e.step, hash.substr(0, 20));
    session_->file(path, png, true);
    add(e.step, e.what,
        json_text(Json{{"_type", "image-file"},
                       {"path", path},
                       {"sha256", hash},
                       {"size", png.size()},
                       {"format", "png"},
                       {"width", grid.region.width},
                       {"height", grid.region.height}}));
  }

  void hear(const RunEnd& e) {
    if (!session_) return;
    flush();
    summary_["step"] = std::to_string(e.step);
    summary_["seconds"] = number_text(e.seconds);
    summary_["peak_rss_bytes"] = std::to_string(e.peak_rss_bytes);
    if (!e.weights_hash.empty()) summary_["weights_hash"] = json_text(e.weights_hash);
    session_->summary(summary_);
    session_->exit(e.exit);
  }
  void hear(const auto&) {}

  WandbSpec spec_;
  Lines lines_;
  std::optional<WandbSession> session_;
  int64_t step_ = 0;
  JsonTexts row_, summary_;
  std::optional<Metric> best_;
  double cpu_at_ = 0, measured_at_ = 0;
};

}  // namespace

std::unique_ptr<Listener> wandb_listener(WandbSpec spec) {
  return std::make_unique<Wandb>(std::move(spec));
}

}  // namespace convoy
