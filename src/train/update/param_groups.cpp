#include "train/update/param_groups.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {

ParamKind param_kind(const StateLayout& layout, const StateLayout::Slot& slot) {
  if (slot.decay) return ParamKind::weight;
  constexpr std::string_view ending = ".bias";
  if (!slot.name.ends_with(ending)) return ParamKind::norm;
  const std::string weight = slot.name.substr(0, slot.name.size() - ending.size()) + ".weight";
  const auto found = std::ranges::find(layout.params, weight, &StateLayout::Slot::name);
  return found != layout.params.end() && found->decay ? ParamKind::bias : ParamKind::norm;
}

void WeightDecay::describe(Fields& field) {
  field("weight-decay", weight, "pull towards zero, added to the gradient", at_least(0), {"wd"});
  field("decay-norm-bias", all, "apply weight decay to norm scales and biases too");
  field("norm-weight-decay", norm,
        "weight decay of norm scales and shifts; -1: as --decay-norm-bias says", at_least(-1));
  field("bias-weight-decay", bias, "weight decay of other biases; -1: as --decay-norm-bias says",
        at_least(-1));
  field("weight-decay-form", form,
        "what the decay is the gradient of: half: d * w^2 / 2; square: d * w^2, as Keras's L2");
  field("single-l2-loss-op", single_l2,
        "as Habana's Keras recipes have it: weight decay of the form half for weights and biases, "
        "norms excepted");
  const bool decays = weight > 0 || norm > 0 || bias > 0;
  field.needs("decay-norm-bias", decays, "weight decay above 0", {"weight-decay"});
  field.needs("weight-decay-form", decays, "weight decay above 0", {"weight-decay"});
  if (!single_l2) return;
  if (form != DecayForm::half || all || norm > 0 || bias >= 0) {
    raise(Fault::usage,
          "--single-l2-loss-op is --weight-decay-form half for weights and biases, norms excepted; "
          "try: without {}",
          form != DecayForm::half ? "--weight-decay-form"
          : all                   ? "--decay-norm-bias"
          : norm > 0              ? "--norm-weight-decay"
                                  : "--bias-weight-decay");
  }
}

float WeightDecay::of(ParamKind kind) const {
  const float given = kind == ParamKind::norm ? norm : kind == ParamKind::bias ? bias : weight;
  const bool follows = all || (single_l2 && kind == ParamKind::bias);
  const float decay = given >= 0 ? given : follows ? weight : 0;
  return form == DecayForm::square ? 2 * decay : decay;
}

}  // namespace convoy
