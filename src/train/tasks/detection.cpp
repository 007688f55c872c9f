#include "train/tasks/detection.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "boxes/default_boxes.h"
#include "ops/loss/detection_loss.h"
#include "train/run/run_config.h"
#include "train/tasks/detection_results.h"

namespace convoy {
namespace {

// Options for the losses and metrics of classifiers have no meaning here.
void refuse_options_of_classifiers(const RunConfig& run) {
  const auto refuse = [](std::string_view option) {
    raise(Fault::usage, "{} is for classifiers, not for detection; try: without it", option);
  };
  if (run.label_smoothing > 0) refuse("--label-smoothing");
  if (!run.class_weights.asked.empty()) refuse("--class-weights");
  if (run.mixing.on()) refuse("mixing images (--mixup, --cutmix)");
}

DefaultBoxSpec boxes_of(const Variant& model, const ModelOptions& options, const Shape& image) {
  expect(bool(model.boxes), "a detection network has default boxes");
  if (image[1] != image[2]) {
    raise(Fault::usage, "{} takes square images, not {} x {}", model.name, image[1], image[2]);
  }
  return model.boxes(options, image[1]);
}

std::unique_ptr<Task> make(const TaskSite& site) {
  if (site.run) refuse_options_of_classifiers(*site.run);
  const Shape image = site.image.rank() == 0 ? site.model.image() : site.image;
  return std::make_unique<DetectionTask>(site.model.variant, site.classes, image, site.options,
                                         site.tables);
}

}  // namespace

DetectionTask::DetectionTask(const Variant& model, int classes, const Shape& image,
                             ModelOptions options, ops::ByteTables tables)
    : model_(model),
      classes_(classes),
      options_(std::move(options)),
      tables_(std::move(tables)),
      form_(boxes_of(model, options_, image), image),
      detector_(form_.boxes(), classes) {}

TaskGraph DetectionTask::build(const TaskShape& shape) const {
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
  }
  if (shape.for_export) return task;
  const int64_t boxes = form_.boxes().count();
  const Value classes = b.input("box_classes", {{n, boxes}, DType::s32});
  const Value targets = b.input("box_codes", {{n, boxes, 4}});
  const auto [loss, box_loss] = ops::detection_loss(b, logits, codes, classes, targets);
  b.output("loss", loss);
  b.output("box_loss", box_loss);
  if (shape.train) {
    task.loss_scale = b.input("loss_scale", {});
    task.losses = {{loss, 1}};
  }
  return task;
}

std::unique_ptr<Results> DetectionTask::results() const {
  return std::make_unique<DetectionResults>(classes_ - 1);
}

void DetectionTask::read(const Executor& executor, const Batch& batch, Rows& rows) const {
  const float* loss = executor.output("loss");
  const float* box_loss = executor.output("box_loss");
  const auto* weight = batch.data<float>("weight");
  const auto& outputs = executor.plan().graph.outputs;
  const bool evaluates =
      std::ranges::find(outputs, "class_logits", &NamedValue::name) != outputs.end();
  std::span<const std::vector<Detection>> found;
  if (evaluates) {
    found = detector_.detect(executor.output("class_logits"), executor.output("box_codes"),
                             batch.valid, executor.pool());
  }
  std::vector<double> row;
  for (int64_t i = 0; i < batch.valid; ++i) {
    if (weight[i] == 0) continue;
    const DetectionLosses own{static_cast<double>(loss[i]), static_cast<double>(box_loss[i])};
    if (evaluates) {
      make_detection_row(own, truth_of(batch, i), found[static_cast<size_t>(i)], row);
      rows.add(row);
    } else {
      rows.add(std::array{own.all, own.of_boxes});
    }
  }
}

TaskDef detection_task() {
  return {.name = "detection",
          .help = "objects with their boxes and classes",
          .metrics = detection_metrics,
          .make = make,
          .of_objects = true};
}

}  // namespace convoy
