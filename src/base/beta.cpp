// The quotient of two gamma variables (Marsaglia and Tsang 2000), computed with their logarithms:
// for a small alpha both are too small for a double.

#include "base/beta.h"

namespace convoy {
namespace {

// The logarithm of a variable of Gamma(alpha, 1).
double log_gamma_variable(Random& random, double alpha) {
  // Gamma(alpha) is Gamma(alpha + 1) * U^(1 / alpha).
  const double boost = alpha < 1 ? std::log(1 - random.uniform()) / alpha : 0;
  const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = random.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double log_v = 3 * std::log(root), v = root * root * root;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * log_v) {
      return std::log(d) + log_v + boost;
    }
  }
}

}  // namespace

double draw_beta(Random& random, double alpha) {
  const double a = log_gamma_variable(random, alpha), b = log_gamma_variable(random, alpha);
  return 1 / (1 + std::exp(b - a));
}

}  // namespace convoy
