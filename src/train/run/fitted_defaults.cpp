#include "train/run/fitted_defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"

namespace convoy {

int64_t fitted_batch(int64_t samples, int64_t parts) {
  if (samples < 1 || samples >= fitted_steps * usual_batch * parts) return usual_batch;
  constexpr int64_t least = 8;  // with fewer images batch-norm statistics are too noisy
  const int64_t step = std::max(samples / fitted_steps, std::min(least, samples));
  const auto each = static_cast<uint64_t>(std::max<int64_t>(step / parts, 1));
  return std::min(usual_batch, static_cast<int64_t>(std::bit_floor(each)));
}

double fitted_rate(bool has_weights, int64_t global_batch, int64_t fitted_micro_batch) {
  const auto part = [](int64_t batch) {
    return static_cast<double>(batch) / static_cast<double>(usual_batch);
  };
  if (has_weights) return usual_rate / 10 * part(global_batch);
  return fitted_micro_batch < usual_batch ? usual_rate * part(fitted_micro_batch) : usual_rate;
}

std::string about_batch(int64_t micro_batch, int64_t samples, int64_t parts) {
  return fmt::format("--batch-size {} for {} training pictures; {} from {} on", micro_batch,
                     with_commas(samples), usual_batch,
                     with_commas(fitted_steps * usual_batch * parts));
}

std::string about_rate(double rate, bool has_weights, int64_t batch) {
  return fmt::format("--lr {:.4g}: {} x a batch of {} / {}", rate,
                     has_weights
                         ? fmt::format("a tenth of {} for weights that were trained", usual_rate)
                         : fmt::format("{}", usual_rate),
                     batch, usual_batch);
}

}  // namespace convoy
