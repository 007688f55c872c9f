// The symmetric beta distribution, from which mixup draws the weights of two images.
#pragma once

#include "base/random.h"

namespace convoy {

// Draws from Beta(alpha, alpha), alpha > 0; the result is in [0, 1]. A small alpha gives values
// near 0 or 1, alpha = 1 is uniform, a large alpha gives values near 1/2. Takes as many values of
// `random` as it needs.
double draw_beta(Random& random, double alpha);

}  // namespace convoy
