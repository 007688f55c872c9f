#include "train/classification.h"

#include "ops/mixing.h"

namespace convoy {

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
  const Value label = b.input("label", {{shape.batch}, DType::s32});
  const Value key = b.input("key", {{shape.batch}, DType::s64});
  const Value logits = model_.build(b, {image, key, classes_, options_});
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

void Classification::count(const Executor& executor, const Batch& batch, int64_t first,
                           int64_t last, Tally& tally) const {
  const float* loss = executor.output("loss");
  const float* rank = executor.output("rank");
  const auto* weight = batch.data<float>("weight");
  for (int64_t i = first; i < last; ++i) {
    if (weight[i] == 0) continue;
    tally.loss += loss[i];
    tally.correct += rank[i] < 1;
    tally.correct5 += rank[i] < 5;
    ++tally.samples;
  }
}

}  // namespace convoy
