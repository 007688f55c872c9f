// Which parameters are weights, biases, or scales and shifts of a norm, and how strongly each kind
// is pulled towards zero. The stacks differ in that (spec A.1.5, A.2.4, A.4.1, C.1).
#pragma once

#include <array>

#include "base/text/words.h"
#include "compile/plan.h"
#include "config/fields.h"

namespace convoy {

enum class ParamKind { weight, bias, norm };

// By what the model says of it, and by the weight of the same layer.
ParamKind param_kind(const StateLayout& layout, const StateLayout::Slot& slot);

enum class DecayForm { half, square };
constexpr std::array<Word<DecayForm>, 2> words_of(DecayForm) {
  return {{{"half", DecayForm::half}, {"square", DecayForm::square}}};
}

struct WeightDecay {
  float weight = 1e-4f;
  float norm = -1, bias = -1;  // below 0: as `all` says
  bool all = false;
  DecayForm form = DecayForm::half;
  bool single_l2 = false;  // Habana's way to say: half, of all but norms

  void describe(Fields& field);
  // What is multiplied by a parameter of that kind and added to its gradient.
  float of(ParamKind kind) const;
};

}  // namespace convoy
