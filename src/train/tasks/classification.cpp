#include "train/tasks/classification.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "ops/mixing.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

constexpr std::array metric_defs{
    loss_metric,
    MetricDef{.name = "top1",
              .title = "top-1",
              .log_title = "Acc@1",
              .unit = "%",
              .hits = "correct",
              .is_main = true},
    MetricDef{
        .name = "top5", .title = "top-5", .log_title = "Acc@5", .unit = "%", .hits = "correct5"}};

// A row holds the loss and the number of classes with a higher score than the true one; of an
// evaluation also the loss again, the sample's index, its class, the predicted class and the
// probability of that.
constexpr size_t training_numbers = 2, evaluation_numbers = 7;

// The most probable class and its probability.
std::pair<int, double> prediction(std::span<const float> logits) {
  const auto best = std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - *best));
  return {static_cast<int>(best - logits.begin()), 1 / sum};
}

class LabelResults final : public Results {
 public:
  std::vector<Metric> metrics() const override {
    return {{&metric_defs[0], mean_loss()}, main(), share(2, correct5_)};
  }
  Metric main() const override { return share(1, correct_); }
  std::span<const SampleResult> each() const override { return each_; }

 private:
  Metric share(size_t def, int64_t hits) const {
    const double percent =
        samples() ? 100.0 * static_cast<double>(hits) / static_cast<double>(samples()) : 0;
    return {&metric_defs[def], percent, hits};
  }
  void add_rest(std::span<const double> row) override {
    correct_ += row[0] < 1;
    correct5_ += row[0] < 5;
    if (row.size() + 1 < evaluation_numbers) return;
    each_.push_back({.index = static_cast<int64_t>(row[2]),
                     .truth = static_cast<int32_t>(row[3]),
                     .predicted = static_cast<int32_t>(row[4]),
                     .confidence = row[5],
                     .loss = row[1]});
  }
  void merge_rest(const Results& later) override {
    const auto& other = static_cast<const LabelResults&>(later);
    correct_ += other.correct_;
    correct5_ += other.correct5_;
    each_.insert(each_.end(), other.each_.begin(), other.each_.end());
  }
  void clear_rest() override {
    correct_ = correct5_ = 0;
    each_.clear();
  }
  void save_rest(SavedResults& into) const override {
    into.numbers["correct"] = static_cast<double>(correct_);
    into.numbers["correct5"] = static_cast<double>(correct5_);
  }
  std::string restore_rest(const SavedResults& saved) override {
    if (take_count(saved, "correct", samples(), correct_) &&
        take_count(saved, "correct5", samples(), correct5_)) {
      return "";
    }
    return fmt::format(
        "epoch_correct or epoch_correct5 is missing, or not a whole number up to "
        "epoch_samples, {}",
        samples());
  }

  int64_t correct_ = 0, correct5_ = 0;
  std::vector<SampleResult> each_;
};

ops::CrossEntropyOptions loss_options(const RunConfig& config) {
  return {config.label_smoothing, config.label_smoothing_kind};
}

std::unique_ptr<Task> make(const TaskSite& site) {
  const Variant& model = site.model.variant;
  if (!site.run) {
    return std::make_unique<Classification>(model, site.classes, ops::CrossEntropyOptions{},
                                            site.options, site.tables);
  }
  const RunConfig& run = *site.run;
  if (run.data.mosaic > 0) {
    raise(Fault::usage, "--mosaic is for detectors, {} classifies; try: --mixup-alpha 0.2",
          model.name);
  }
  return std::make_unique<Classification>(
      model, site.classes, loss_options(run), site.options, site.tables,
      run.class_weights.of(*site.train_set, site.classes), run.mixing.on());
}

}  // namespace

TaskGraph Classification::build(const TaskShape& shape) const {
  TaskGraph task;
  task.graph.replicas = shape.replicas;
  Builder b(task.graph, shape.train);
  const Shape& c = shape.image;
  const Shape images{shape.batch, c[0], c[1], c[2]};
  Value image = b.input("image", {images, tables_ ? DType::u8 : DType::f32});
  if (tables_) image = ops::byte_image(b, image, tables_);
  const bool mixes = mixes_ && shape.train;
  const auto mix_rows = [&](const char* name, DType type) {
    return b.input(name, {{shape.batch, 4}, type});
  };
  const Value source = mixes ? mix_rows("mix_source", DType::s32) : Value{};
  if (mixes) {
    const Value box = mix_rows("mix_box", DType::s32), share = mix_rows("mix_share", DType::f32);
    image = ops::mix_images(b, image, source, box, share);
  }
  const Value label = shape.for_export ? Value{} : b.input("label", {{shape.batch}, DType::s32});
  const Value key = b.input("key", {{shape.batch}, DType::s64});
  const Value logits = model_.build(b, {image, key, classes_, options_});
  if (shape.for_export) {
    b.output("logits", logits);
    return task;
  }
  const auto loss_options = shape.train ? loss_ : ops::CrossEntropyOptions{};
  Value loss, counted = label;
  if (mixes) {
    const Value weight = mix_rows("mix_weight", DType::f32);
    loss = ops::mixed_cross_entropy(b, logits, label, source, weight, loss_options);
    counted = b.input("mix_label", {{shape.batch}, DType::s32});
  } else {
    loss = ops::softmax_cross_entropy(b, logits, label, loss_options);
  }
  if (shape.train && weights_) loss = ops::weigh_by_label(b, loss, label, weights_);
  b.output("loss", loss);
  b.output("rank", ops::label_rank(b, logits, counted));
  if (shape.train) {
    task.loss_scale = b.input("loss_scale", {});
    task.losses = {{loss, 1}};
  } else {
    b.output("logits", logits);
  }
  return task;
}

std::unique_ptr<Results> Classification::results() const {
  return std::make_unique<LabelResults>();
}

void Classification::read(const Executor& executor, const Batch& batch, Rows& rows) const {
  const float* loss = executor.output("loss");
  const float* rank = executor.output("rank");
  const auto* weight = batch.data<float>("weight");
  const auto& outputs = executor.plan().graph.outputs;
  const bool evaluates = std::ranges::find(outputs, "logits", &NamedValue::name) != outputs.end();
  const float* logits = evaluates ? executor.output("logits") : nullptr;
  const auto* label = batch.data<int32_t>("label");
  const auto classes = static_cast<size_t>(classes_);
  for (int64_t i = 0; i < batch.valid; ++i) {
    if (weight[i] == 0) continue;
    const std::array<double, training_numbers> counts{static_cast<double>(loss[i]),
                                                      static_cast<double>(rank[i])};
    if (!logits) {
      rows.add(counts);
      continue;
    }
    const auto [best, probability] =
        prediction({logits + static_cast<size_t>(i) * classes, classes});
    rows.add(std::array<double, evaluation_numbers>{
        counts[0], counts[1], counts[0], static_cast<double>(batch.first + i),
        static_cast<double>(label[i]), static_cast<double>(best), probability});
  }
}

TaskDef classification_task() {
  return {.name = "classification",
          .help = "one of several classes for each image",
          .metrics = metric_defs,
          .make = make};
}

}  // namespace convoy
