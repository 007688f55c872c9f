#include "train/outputs/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy {
namespace {

constexpr double first_limit = 1e-12, growth = 1.1, last_limit = 1e20;

// Ascending; the last limit is above every float.
const std::vector<double>& all_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double limit = first_limit; limit < last_limit; limit *= growth) positive.push_back(limit);
    positive.push_back(std::numeric_limits<double>::max());
    std::vector<double> all;
    for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) all.push_back(-*limit);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

}  // namespace

Histogram histogram_of(std::span<const float> values, double scale) {
  const std::vector<double>& limits = all_limits();
  std::vector<double> counts(limits.size());
  Histogram made;
  for (const float one : values) {
    const double value = scale * static_cast<double>(one);
    if (!std::isfinite(value)) continue;
    made.least = made.count ? std::min(made.least, value) : value;
    made.most = made.count ? std::max(made.most, value) : value;
    ++made.count;
    made.sum += value;
    made.squares += value * value;
    const auto limit = std::ranges::upper_bound(limits, value);
    const auto bucket = std::min<ptrdiff_t>(limit - limits.begin(), std::ssize(limits) - 1);
    ++counts[static_cast<size_t>(bucket)];
  }
  if (made.count == 0) return made;
  const auto is_used = [](double count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_used) - counts.begin();
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_used).base() - counts.begin();
  const auto begin = std::max<ptrdiff_t>(first - 1, 0);
  made.limits.assign(limits.begin() + begin, limits.begin() + last);
  made.counts.assign(counts.begin() + begin, counts.begin() + last);
  return made;
}

}  // namespace convoy
