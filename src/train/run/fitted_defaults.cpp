#include "train/run/fitted_defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace convoy {

int64_t fitted_batch(const UsualStep& usual, int64_t samples, int64_t parts) {
  if (samples < 1 || samples >= fitted_steps * usual.batch * parts) return usual.batch;
  constexpr int64_t least = 8;  // with fewer images batch-norm statistics are too noisy
  const int64_t step = std::max(samples / fitted_steps, std::min(least, samples));
  const auto each = static_cast<uint64_t>(std::max<int64_t>(step / parts, 1));
  return std::min(usual.batch, static_cast<int64_t>(std::bit_floor(each)));
}

double fitted_rate(const UsualStep& usual, bool has_weights, int64_t global_batch,
                   int64_t fitted_micro_batch) {
  const auto part = [&](int64_t batch) {
    return static_cast<double>(batch) / static_cast<double>(usual.batch);
  };
  if (has_weights) return usual.rate_of_trained * part(global_batch);
  return fitted_micro_batch < usual.batch ? usual.rate * part(fitted_micro_batch) : usual.rate;
}

std::string about_batch(const UsualStep& usual, int64_t micro_batch, int64_t samples,
                        int64_t parts) {
  return fmt::format("--batch-size {} for {} training pictures; {} from {} on", micro_batch,
                     with_commas(samples), usual.batch,
                     with_commas(fitted_steps * usual.batch * parts));
}

std::string about_rate(const UsualStep& usual, double rate, bool has_weights, int64_t batch) {
  return fmt::format("--lr {:.4g}: {}{} x a batch of {} / {}", rate,
                     has_weights ? usual.rate_of_trained : usual.rate,
                     has_weights ? " for weights that were trained" : "", batch, usual.batch);
}

}  // namespace convoy
