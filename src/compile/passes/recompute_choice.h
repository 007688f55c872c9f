// Chooses what a training step makes again: the least time within a limit of bytes, or the least
// bytes. A search over the cuts of the forward pass (activations.h): between two chosen cuts all
// values are kept, or the cheap ones are made again, or all are made again from the values that the
// first cut carries.
#pragma once

#include <cstddef>
#include <vector>

#include "compile/passes/activations.h"
#include "compile/recompute_rule.h"

namespace convoy {

struct RecomputeChoice {
  std::vector<bool> again;  // by value id: made again by the backward pass, when it reads the value
  // Made again for the values after it, and once more when the backward pass reads it.
  std::vector<bool> brief;
};

// `points`: the cuts for `RecomputeRule::points`.
RecomputeChoice choose_recompute(const Activations& activations, const RecomputeRule& rule,
                                 const std::vector<int>& points = {});

}  // namespace convoy
