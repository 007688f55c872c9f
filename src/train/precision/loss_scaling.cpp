#include "train/precision/loss_scaling.h"

#include <algorithm>

#include "base/error.h"
#include "config/value.h"
#include "train/precision/precision.h"
#include "train/run/run_progress.h"

namespace convoy {
namespace {

constexpr std::string_view dynamic_word = "dynamic";

// The scale of Keras and Graphcore for gradients in fp16; bf16 has the range of fp32.
float default_scale(const Precision& precision) {
  return precision.dtype == FloatKind::fp16 ? 128.0f : 1.0f;
}

}  // namespace

void LossScaling::describe(Fields& field, const Precision& precision) {
  std::string text = default_scale(precision) == 1 ? "1" : "128";
  field("loss-scale", text,
        "the loss is multiplied by it before the backward pass, the gradients divided after. "
        "dynamic: it begins with 32768, is halved when a gradient is not finite, in which case the "
        "step changes no weight, and doubled after --loss-scale-growth-steps others. Default: 1; "
        "128 with --dtype fp16",
        {}, {"loss-scaling"});
  dynamic = text == dynamic_word;
  scale = 32768;
  if (!dynamic && (!parse_value(text, scale).empty() || !(scale >= 1e-30f && scale <= 1e30f))) {
    raise(Fault::usage,
          "--loss-scale {}: neither a number from 1e-30 to 1e30 nor dynamic; try: 128", text);
  }
  field(
      "loss-scale-growth-steps", growth_steps,
      "with --loss-scale dynamic: it is doubled after that many steps whose gradients were finite",
      at_least(1));
  field.needs("loss-scale-growth-steps", dynamic, "--loss-scale dynamic", {"loss-scale"});
  field("on-nonfinite", on_nonfinite,
        "when the loss or a gradient of a step is not finite: stop, with exit code 5; skip, the "
        "step changes no weight and the run goes on, unless 100 steps in a row are so. `convoy "
        "replay` shows where it began");
  field("fp-exceptions", fp_exceptions,
        "stop at the first value in the network that is not finite, and name op, step and sample. "
        "Reads every value once more, so it is slower; changes no result",
        any_value().no_result());
  if (fp_exceptions && dynamic && field.idle("fp-exceptions", {"loss-scale"})) {
    raise(Fault::usage,
          "--fp-exceptions stops at the first overflow, and --loss-scale dynamic grows until there "
          "is one; try: --loss-scale 128");
  }
  if (dynamic) fp_exceptions = false;
}

LossScaling::Verdict LossScaling::judge(const Step& step, ScaleProgress& progress) const {
  if (step.is_finite()) {
    progress.skipped_in_row = 0;
    if (dynamic && ++progress.scaled_steps >= growth_steps) {
      progress.loss_scale = std::min(2 * progress.loss_scale, 0x1p100);
      progress.scaled_steps = 0;
    }
    return Verdict::go_on;
  }
  progress.scaled_steps = 0;
  if (dynamic && step.loss_is_finite && progress.loss_scale > 1) {
    progress.loss_scale = std::max(progress.loss_scale / 2, 1.0);
    ++progress.skipped;
    return Verdict::rescale;
  }
  if (on_nonfinite == OnNonFinite::stop || ++progress.skipped_in_row >= most_skipped) {
    return Verdict::stop;
  }
  ++progress.skipped;
  return Verdict::skip;
}

}  // namespace convoy
