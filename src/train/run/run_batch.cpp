// The part of RunConfig with defaults that depend on data and start weights: batch size and
// learning rate. They are recorded, so a resumed run does not change them when pictures were added.
#include "train/run/fitted_defaults.h"
#include "train/run/run_config.h"

namespace convoy {

const UsualStep& RunConfig::usual_step() const {
  const bool detects = sees_data_ && find_model(model).variant.boxes;
  return detects ? usual_of_detectors : usual_of_classifiers;
}

void RunConfig::describe_batch(Fields& field) {
  field("replicas", replicas, "data-parallel copies, each with its own batch-norm statistics",
        at_least(1));
  field("gradient-accumulation-count", accumulation,
        "micro-batches of a replica whose gradients make one step", at_least(1),
        {"grad-accum-steps"});
  const int64_t parts = static_cast<int64_t>(replicas) * accumulation;
  const UsualStep& usual = usual_step();
  const int64_t samples = sees_data_ ? data.few_pictures(fitted_steps * usual.batch * parts) : 0;
  batch_size = fitted_batch(usual, samples, parts);
  field.displace("batch-size", {"global-batch-size"});
  field.displace("global-batch-size", {"batch-size"});
  const int64_t fitted = batch_size;
  field("batch-size", batch_size,
        "images that each replica computes at once, by default fewer where the pictures are few; a "
        "step takes this many times --replicas times --gradient-accumulation-count",
        at_least(1), {"b", "micro-batch-size"});
  field("global-batch-size", global_batch_size,
        "images of one optimiser step over all replicas and micro-batches; sets --batch-size",
        at_least(0));
  const bool holds = !field.given("batch-size") && !global_batch_size && batch_size == fitted;
  fitted_batch_ = holds ? fitted : usual.batch;
  if (fitted_batch_ < usual.batch) fitted_.push_back(about_batch(usual, fitted, samples, parts));
}

void RunConfig::describe_rate(Fields& field) {
  const bool has_weights = !init_from.empty();
  const int64_t batch = step_shape().global_batch();
  const UsualStep& usual = usual_step();
  const double fitted = fitted_rate(usual, has_weights, batch, fitted_batch_);
  lr.suggest(fitted);
  lr.describe(field);
  const bool holds =
      !field.given("lr") && fitted != usual_of_classifiers.rate && lr.peak(batch) == fitted;
  if (holds)
    fitted_.push_back(about_rate(usual, fitted, has_weights, has_weights ? batch : fitted_batch_));
}

}  // namespace convoy
