#include "report/tensorboard/precision_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace convoy {

std::vector<float> precision_rows(std::span<const SampleResult> samples, int of_class) {
  constexpr int count = precision_thresholds;
  // How many right and wrong predictions reach each threshold, but not the next one.
  std::array<int64_t, count> right{}, wrong{};
  int64_t positives = 0;
  for (const SampleResult& one : samples) {
    positives += of_class < 0 || one.truth == of_class;
    if (of_class >= 0 && one.predicted != of_class) continue;
    if (!(one.confidence >= 0)) continue;  // not a number
    const double at = std::floor(std::min(one.confidence, 1.0) * (count - 1));
    ++(one.is_right() ? right : wrong)[static_cast<size_t>(at)];
  }
  std::vector<float> rows(6 * static_cast<size_t>(count));
  const auto put = [&](size_t row, int at, double value) {
    rows[row * count + static_cast<size_t>(at)] = static_cast<float>(value);
  };
  int64_t found = 0, false_alarms = 0;
  for (int at = count - 1; at >= 0; --at) {
    found += right[static_cast<size_t>(at)];
    false_alarms += wrong[static_cast<size_t>(at)];
    const int64_t missed = positives - found;
    const int64_t others = of_class < 0 ? 0 : std::ssize(samples) - positives - false_alarms;
    const auto ratio = [](int64_t part, int64_t all) {
      return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
    };
    put(0, at, static_cast<double>(found));
    put(1, at, static_cast<double>(false_alarms));
    put(2, at, static_cast<double>(others));
    put(3, at, static_cast<double>(missed));
    put(4, at, ratio(found, found + false_alarms));
    put(5, at, ratio(found, positives));
  }
  return rows;
}

std::vector<float> precision_rows(const ConfidenceCurve& curve) {
  constexpr size_t count = precision_thresholds;
  constexpr size_t each = (confidence_steps - 1) / (precision_thresholds - 1);
  static_assert(each * (precision_thresholds - 1) == confidence_steps - 1);
  std::vector<float> rows(6 * count);
  const auto objects = static_cast<double>(curve.objects);
  for (size_t at = 0; at < count; ++at) {
    const double precision = curve.precision[at * each], recall = curve.recall[at * each];
    const double right = recall * objects;
    const double wrong = precision > 0 ? right / precision - right : 0;
    const std::array values{right, wrong, 0.0, objects - right, precision, recall};
    for (size_t row = 0; row < values.size(); ++row) {
      rows[row * count + at] = static_cast<float>(values[row]);
    }
  }
  return rows;
}

}  // namespace convoy
