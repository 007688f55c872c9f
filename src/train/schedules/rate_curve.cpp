#include "train/schedules/rate_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace convoy {
namespace {

constexpr double too_much = 4;  // times the best smoothed loss
constexpr double sure = 5;      // the mean must fall by this many standard deviations
constexpr int64_t half = 2;     // a slope uses this many steps on each side

// The slope of a least-squares line through the smoothed losses around row i, over the logarithm of
// the rate.
double slope(const std::vector<RateCurve::Row>& rows, int64_t i) {
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  constexpr double count = 2 * half + 1;
  const auto row = [&](int64_t at) -> const RateCurve::Row& {
    return rows[static_cast<size_t>(at)];
  };
  for (int64_t at = i - half; at <= i + half; ++at) {
    x_mean += std::log(row(at).lr) / count;
    y_mean += row(at).smoothed / count;
  }
  for (int64_t at = i - half; at <= i + half; ++at) {
    const double x = std::log(row(at).lr) - x_mean;
    xx += x * x;
    xy += x * (row(at).smoothed - y_mean);
  }
  return xy / xx;
}

// The standard deviation of the losses of similar steps, from the median difference of neighbours,
// which have nearly the same rate and weights. The median ignores a few outliers.
double noise(std::span<const RateCurve::Row> rows) {
  std::vector<double> apart;
  for (size_t i = 1; i < rows.size(); ++i)
    apart.push_back(std::abs(rows[i].loss - rows[i - 1].loss));
  if (apart.empty()) return 0;
  const auto middle = apart.begin() + std::ssize(apart) / 2;
  std::nth_element(apart.begin(), middle, apart.end());
  constexpr double median_of_difference = 0.954;  // of two normal numbers of deviation 1
  return *middle / median_of_difference;
}

}  // namespace

double growing_rate(int64_t step, int64_t steps, double low, double high) {
  const double share = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0;
  return step + 1 == steps ? high : low * std::pow(high / low, share);
}

bool RateCurve::add(double lr, double loss) {
  if (!std::isfinite(loss) || has_diverged_) {
    has_diverged_ = true;
    rows_.push_back({lr, loss, std::numeric_limits<double>::quiet_NaN()});
    return false;
  }
  mean_ = smooth_ * mean_ + (1 - smooth_) * loss;
  weight_ = smooth_ * weight_ + (1 - smooth_);
  const double smoothed = mean_ / weight_;
  best_ = rows_.empty() ? smoothed : std::min(best_, smoothed);
  rows_.push_back({lr, loss, smoothed});
  has_diverged_ = smoothed > too_much * best_;
  return !has_diverged_;
}

std::optional<RateCurve::Reading> RateCurve::reading() const {
  auto count = std::ssize(rows_);
  while (count > 0 && !std::isfinite(rows_[static_cast<size_t>(count - 1)].smoothed)) --count;
  // Skip the first means: they are of few losses each and noisy.
  const int64_t begin = std::max<int64_t>(half, count / 10);
  if (count - begin < 2 * half + 1) return {};
  const auto least =
      std::min_element(rows_.begin() + begin, rows_.begin() + count,
                       [](const Row& a, const Row& b) { return a.smoothed < b.smoothed; });
  const int64_t bottom = least - rows_.begin();
  // A fall must exceed what the smoothed mean of constant losses would show by chance.
  double start = 0;
  for (const Row& row : std::span(rows_).first(static_cast<size_t>(begin))) {
    start += row.loss / static_cast<double>(begin);
  }
  const double spread = std::sqrt((1 - smooth_) / (1 + smooth_) + 1 / static_cast<double>(begin));
  const std::span<const Row> before(rows_.data(), static_cast<size_t>(bottom + 1));
  if (start - least->smoothed <= sure * spread * noise(before)) return {};
  int64_t steepest = -1;
  double lowest = 0;
  for (int64_t i = begin; i + half < count && i <= bottom; ++i) {
    const double here = slope(rows_, i);
    if (here < lowest) {
      lowest = here;
      steepest = i;
    }
  }
  if (steepest < 0) return {};
  return Reading{.steepest = rows_[static_cast<size_t>(steepest)].lr,
                 .minimum = least->lr,
                 .ends_at_minimum = bottom == count - 1};
}

}  // namespace convoy
