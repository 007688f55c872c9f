// Classifies parameters as weights, biases, or scales and shifts of a norm, and gives the weight
// decay of each kind, which differs between frameworks.
#pragma once

#include "base/text/words.h"
#include "compile/plan.h"
#include "config/fields.h"

namespace convoy {

enum class ParamKind { weight, bias, norm };

// By what the model says about the parameter, and by the weight of the same layer.
ParamKind param_kind(const StateLayout& layout, const StateLayout::Slot& slot);

enum class DecayForm { half, square };
constexpr auto words_of(DecayForm) { return words<DecayForm>("half", "square"); }

struct WeightDecay {
  float weight = 1e-4f;
  float norm = -1, bias = -1;  // below 0: the same as `all`
  bool all = false;
  DecayForm form = DecayForm::half;
  bool single_l2 = false;  // Habana's option: half, for all but norms

  void describe(Fields& field);
  // The factor of a parameter of that kind that is added to its gradient.
  float of(ParamKind kind) const;
};

}  // namespace convoy
