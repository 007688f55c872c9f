#include "train/tasks/detection.h"

#include <array>

#include "base/error.h"
#include "boxes/default_boxes.h"
#include "ops/loss/detection_loss.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

constexpr std::array metric_defs{loss_metric};

class DetectionResults final : public Results {
 public:
  std::vector<Metric> metrics() const override { return {main()}; }
  Metric main() const override { return {&metric_defs[0], mean_loss()}; }

 private:
  void add_rest(std::span<const double>) override {}
  void merge_rest(const Results&) override {}
  void clear_rest() override {}
  void save_rest(SavedResults&) const override {}
  std::string restore_rest(const SavedResults&) override { return ""; }
};

// What a run has of the losses of classifiers has no meaning here.
void refuse_classifiers_options(const RunConfig& run) {
  const auto refuse = [](std::string_view option) {
    raise(Fault::usage, "--{} is for classifiers, not for detection; try: without it", option);
  };
  if (run.label_smoothing > 0) refuse("label-smoothing");
  if (!run.class_weights.asked.empty()) refuse("class-weights");
  if (run.mixing.on()) refuse("mixup or --cutmix");
}

std::unique_ptr<Task> make(const TaskSite& site) {
  if (site.run) refuse_classifiers_options(*site.run);
  return std::make_unique<Detection>(site.model.variant, site.classes, site.options, site.tables);
}

}  // namespace

TaskGraph Detection::build(const TaskShape& shape) const {
  TaskGraph task;
  task.graph.replicas = shape.replicas;
  Builder b(task.graph, shape.train);
  const Shape& c = shape.image;
  const int64_t n = shape.batch;
  Value image = b.input("image", {{n, c[0], c[1], c[2]}, tables_ ? DType::u8 : DType::f32});
  if (tables_) image = ops::byte_image(b, image, tables_);
  const Value key = b.input("key", {{n}, DType::s64});
  const Value logits = model_.build(b, {image, key, classes_, options_});
  const Value codes = b.exposed("box_codes");
  expect(bool(codes), "a detection network exposes the codes of its boxes");
  if (!shape.train) {
    b.output("class_logits", logits);
    b.output("box_codes", codes);
    return task;
  }
  const int64_t boxes = b.shape(logits)[1];
  const Value classes = b.input("box_classes", {{n, boxes}, DType::s32});
  const Value targets = b.input("box_codes", {{n, boxes, 4}});
  const Value loss = ops::detection_loss(b, logits, codes, classes, targets);
  b.output("loss", loss);
  task.loss_scale = b.input("loss_scale", {});
  task.losses = {{loss, 1}};
  return task;
}

std::unique_ptr<Results> Detection::results() const { return std::make_unique<DetectionResults>(); }

void Detection::read(const Executor& executor, const Batch& batch, Rows& rows) const {
  const float* loss = executor.output("loss");
  const auto* weight = batch.data<float>("weight");
  for (int64_t i = 0; i < batch.valid; ++i) {
    if (weight[i] == 0) continue;
    rows.add(std::array{static_cast<double>(loss[i])});
  }
}

TaskDef detection_task() {
  return {.name = "detection",
          .help = "objects with their boxes and classes",
          .metrics = metric_defs,
          .make = make};
}

}  // namespace convoy
