#include "report/tensorboard/tensorboard.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "pictures/png.h"
#include "plot/picture_grid.h"
#include "report/tensorboard/precision_rows.h"

namespace convoy {
namespace {

constexpr int grid_columns = 4;
// More curves than this would hide each other.
constexpr int64_t most_class_curves = 20;

class Tensorboard final : public Listener {
 public:
  explicit Tensorboard(TensorboardSpec spec) : spec_(std::move(spec)) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { write(e); }, event);
  }

 private:
  void write(const RunStart& e) {
    file_.emplace(spec_.folder, 0);
    file_->begin_session(e.model, spec_.hyper_parameters);
    file_->text(0, "recipe", spec_.recipe);
  }
  void write(const Resumed& e) {
    if (!e.path.empty()) file_.emplace(spec_.folder, e.step + 1);
  }
  void write(const TrainProgress& e) {
    if (!e.record || !file_) return;
    const double batch =
        e.step > 0 ? static_cast<double>(e.samples) / static_cast<double>(e.step) : 0;
    constexpr double giga = 1e9;
    const std::array values{
        TaggedScalar{"train/loss", e.loss},
        TaggedScalar{"lr", e.lr},
        TaggedScalar{"epoch", e.epoch},
        TaggedScalar{"throughput/images_per_s", e.images_per_s},
        TaggedScalar{"time/step", e.images_per_s > 0 ? batch / e.images_per_s : 0},
        TaggedScalar{"time/data", e.data_wait_s},
        TaggedScalar{"memory/rss_gb", static_cast<double>(e.rss_bytes) / giga},
        TaggedScalar{train_tag(e), e.metric ? e.metric->value : 0},
    };
    file_->scalars(e.step, std::span(values).first(values.size() - (e.metric ? 0 : 1)));
  }
  // "train/top1", of the epoch so far.
  std::string_view train_tag(const TrainProgress& e) {
    if (e.metric && train_tag_.empty()) train_tag_ = "train/" + std::string(e.metric->def->name);
    return train_tag_;
  }

  void write(const EvalDone& e) {
    if (!file_) return;
    std::vector<std::string> tags;
    for (const Metric& metric : e.metrics) tags.push_back(evaluation_tag(metric.def->name, e.ema));
    std::vector<TaggedScalar> values;
    for (size_t i = 0; i < tags.size(); ++i) values.push_back({tags[i], e.metrics[i].value});
    file_->scalars(e.step, values);
    if (e.each) write_curves(e);
  }
  void write_curves(const EvalDone& e) {
    const std::string group = e.ema ? "pr_curves_ema/" : "pr_curves/";
    const SampleResults& each = *e.each;
    file_->precision_curve(e.step, group + "all", precision_rows(each.all, -1));
    if (std::ssize(each.classes) > most_class_curves) return;
    for (size_t i = 0; i < each.classes.size(); ++i) {
      file_->precision_curve(e.step, group + each.classes[i],
                             precision_rows(each.all, static_cast<int>(i)));
    }
  }

  void write(const PicturesShown& e) {
    if (!file_ || e.all.empty()) return;
    std::vector<GridCell> cells;
    for (const PicturesShown::One& one : e.all) cells.push_back({&one.pixels, one.caption});
    const Pixels grid = picture_grid(cells, grid_columns);
    file_->picture(e.step, e.what, grid.region.width, grid.region.height, encode_png(grid));
  }
  void write(const HistogramShown& e) {
    if (file_) file_->histogram(e.step, e.what, e.values);
  }
  void write(const CheckpointSaved& e) {
    if (file_) file_->checkpoint(e.step, e.path);
  }
  void write(const RunEnd& e) {
    constexpr int requeue = 75;  // the run will go on
    if (file_ && e.exit != requeue) file_->end_session(e.exit == 0);
  }
  void write(const auto&) {}

  TensorboardSpec spec_;
  std::optional<EventFile> file_;
  std::string train_tag_;
};

}  // namespace

std::string evaluation_tag(std::string_view metric, bool ema) {
  if (metric == "mAP") return ema ? "metrics_ema/mAP50-95" : "metrics/mAP50-95";
  if (metric.starts_with("mAP")) return fmt::format("metrics{}/{}", ema ? "_ema" : "", metric);
  return fmt::format("val{}/{}", ema ? "_ema" : "", metric);
}

std::unique_ptr<Listener> tensorboard_listener(TensorboardSpec spec) {
  return std::make_unique<Tensorboard>(std::move(spec));
}

}  // namespace convoy
