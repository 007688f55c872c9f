#include "report/tensorboard/tensorboard.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "pictures/png.h"
#include "report/shown_pictures.h"
#include "report/tensorboard/precision_rows.h"

namespace convoy {
namespace {

// More curves than this would hide each other.
constexpr int64_t most_class_curves = 20;

class Tensorboard final : public Listener {
 public:
  explicit Tensorboard(TensorboardSpec spec) : spec_(std::move(spec)) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { write(e); }, event);
  }

 private:
  void write(const RunStart&) {
    file_.emplace(spec_.folder, 0);
    file_->begin_session(spec_.hyper_parameters);
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
    const std::string group = e.ema ? "pr_curves_ema/" : "pr_curves/";
    if (e.each) write_curves(e.step, group, *e.each);
    if (e.objects) write_curves(e.step, group, *e.objects);
  }
  void write_curves(int64_t step, const std::string& group, const SampleResults& each) {
    file_->precision_curve(step, group + "all", precision_rows(each.all, -1));
    if (std::ssize(each.classes) > most_class_curves) return;
    for (size_t i = 0; i < each.classes.size(); ++i) {
      file_->precision_curve(step, group + each.classes[i],
                             precision_rows(each.all, static_cast<int>(i)));
    }
  }
  void write_curves(int64_t step, const std::string& group, const ObjectResults& objects) {
    const ConfidenceCurves& curves = objects.curves;
    if (curves.mean.objects == 0) return;
    file_->precision_curve(step, group + "all", precision_rows(curves.mean));
    if (std::ssize(objects.classes) > most_class_curves) return;
    for (size_t i = 0; i < objects.classes.size(); ++i) {
      if (curves.classes[i].objects == 0) continue;
      file_->precision_curve(step, group + objects.classes[i], precision_rows(curves.classes[i]));
    }
  }

  void write(const PicturesShown& e) {
    if (!file_ || e.all.empty()) return;
    const Pixels grid = grid_of(e);
    file_->picture(e.step, e.what, grid.region.width, grid.region.height,
                   encode_png(grid, PngEffort::quick));
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
