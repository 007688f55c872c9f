// The loss scale, and what a run does when the loss or a gradient of a step is not finite.
#pragma once

#include <optional>
#include <string>

#include "base/text/words.h"
#include "config/fields.h"

namespace convoy {

struct Precision;
struct ScaleProgress;

enum class OnNonFinite { stop, skip };
constexpr auto words_of(OnNonFinite) { return words<OnNonFinite>("stop", "skip"); }

struct LossScaling {
  float scale = 1;  // of every step; with `dynamic` of the first one
  bool dynamic = false;
  int64_t growth_steps = 2000;
  OnNonFinite on_nonfinite = OnNonFinite::stop;
  bool fp_exceptions = false;

  void describe(Fields& field, const Precision& precision);

  // The outcome of a step. The parameters were changed only if both are true.
  struct Step {
    bool loss_is_finite, gradients_are_finite;
    bool is_finite() const { return loss_is_finite && gradients_are_finite; }
  };
  enum class Verdict {
    go_on,    // the parameters were updated
    rescale,  // skipped, because the dynamic scale was too large: the next one is half
    skip,     // skipped, as the user asked
    stop,     // the run has diverged
  };
  // Counts the step, and changes a dynamic scale. A function of options and progress alone, so all
  // ranks and a resumed run agree.
  Verdict judge(const Step& step, ScaleProgress& progress) const;

  // Skipped steps in a row after which the run stops all the same.
  static constexpr int64_t most_skipped = 100;
};

}  // namespace convoy
