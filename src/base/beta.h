// The symmetric beta distribution: mixup's share of one image in another.
#pragma once

#include "base/random.h"

namespace convoy {

// In [0, 1], drawn from Beta(alpha, alpha), alpha > 0: small ones are near 0 or 1, 1 is uniform,
// large ones near 1/2. Takes as many values of `random` as it needs.
double draw_beta(Random& random, double alpha);

}  // namespace convoy
