#include "report/block_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace convoy {
namespace {

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 5> letters{"_", ".", "-", "=", "^"};

std::string drawn(const std::vector<double>& values, const auto& heights) {
  const auto [low, high] = std::ranges::minmax(values);
  std::string text;
  for (const double value : values) {
    const double part = high > low ? (value - low) / (high - low) : 0;
    const auto last = static_cast<double>(heights.size() - 1);
    text += heights[static_cast<size_t>(std::lround(part * last))];
  }
  return text;
}

}  // namespace

std::string block_curve(const std::vector<double>& values, size_t columns, bool unicode) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double v) { return std::isfinite(v); });
  if (finite.empty() || columns == 0) return "";
  std::vector<double> means;
  const size_t count = std::min(columns, finite.size());
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * finite.size() / count, end = (i + 1) * finite.size() / count;
    double sum = 0;
    for (size_t v = begin; v < end; ++v) sum += finite[v] / static_cast<double>(end - begin);
    means.push_back(sum);
  }
  return unicode ? drawn(means, blocks) : drawn(means, letters);
}

void KeptCurve::add(double value) {
  if (values_.capacity() == 0) values_.reserve(2 * most_);
  sum_ += value;
  if (++pending_ < each_) return;
  values_.push_back(sum_ / static_cast<double>(each_));
  sum_ = 0;
  pending_ = 0;
  if (values_.size() < 2 * most_) return;
  for (size_t i = 0; i < most_; ++i) values_[i] = (values_[2 * i] + values_[2 * i + 1]) / 2;
  values_.resize(most_);
  each_ *= 2;
}

}  // namespace convoy
