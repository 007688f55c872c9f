#include "plot/scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

// A range of this many intervals contains at least two ticks.
constexpr int enough = 6;
constexpr double hair = 1e-9;  // of a tick interval: rounding must not lose a tick at an end

// The smallest of 1, 2 or 5 times a power of ten that is at least x.
double round_up(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (x <= digit * power * (1 + hair)) return digit * power;
  }
  return 10 * power;
}

// With enough digits to distinguish neighbouring ticks.
std::string label_of(double value, double step) {
  const double size = std::abs(value);
  if (size < step * hair) return "0";
  if (size >= 1e7 || step < 1e-5) return fmt::format("{:.6g}", value);
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + hair)));
  return fmt::format("{:.{}f}", value, digits);
}

// Writes 1e-5 instead of 1e-05.
std::string power_label(int exponent, double value) {
  return exponent < -3 || exponent > 5 ? fmt::format("1e{}", exponent)
                                       : fmt::format("{:.6g}", value);
}

}  // namespace

Scale::Scale(std::span<const double> values, bool logarithmic, double margin)
    : logarithmic_(logarithmic) {
  bool any = false;
  for (const double value : values) {
    if (!shows(value)) continue;
    low_ = any ? std::min(low_, value) : value;
    high_ = any ? std::max(high_, value) : value;
    any = true;
  }
  if (!any) low_ = logarithmic_ ? 0.1 : 0, high_ = 1;
  if (logarithmic_) {
    if (high_ / low_ < 1 + hair) low_ /= 2, high_ *= 2;
    const double more = std::pow(high_ / low_, margin);
    low_ = std::max(low_ / more, 1e-300);
    high_ = std::min(high_ * more, 1e300);
  } else {
    const double size = std::max(std::abs(low_), std::abs(high_));
    if (high_ - low_ <= size * hair) {
      const double around = size > 0 ? size / 2 : 1;
      low_ -= around;
      high_ += around;
    }
    const double more = (high_ - low_) * margin;
    low_ -= more;
    high_ += more;
  }
}

bool Scale::shows(double value) const {
  constexpr double most = 1e300;
  return std::isfinite(value) && std::abs(value) < most && (!logarithmic_ || value > 1 / most);
}

double Scale::at(double value) const {
  if (logarithmic_) return std::log(value / low_) / std::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

std::vector<Tick> Scale::ticks(int most) const {
  // If the range has only one or two powers of ten, even ticks are more useful.
  const bool has_decades = logarithmic_ && std::log10(high_ / low_) > 1.5;
  return has_decades ? decades(most) : even_ticks(most);
}

std::vector<Tick> Scale::even_ticks(int most) const {
  const double step = round_up((high_ - low_) / std::max(most, 1));
  const double whole = std::floor(high_ / step + hair) - std::ceil(low_ / step - hair);
  // A single number does not show a scale.
  if (whole < 1 && most < enough) return even_ticks(most + 1);
  std::vector<Tick> ticks;
  for (double i = std::ceil(low_ / step - hair); i * step <= high_ + step * hair; ++i) {
    const double value = i * step;
    if (!shows(value)) continue;
    ticks.push_back({value, label_of(value, step)});
  }
  return ticks;
}

std::vector<Tick> Scale::decades(int most) const {
  const auto first = static_cast<int>(std::floor(std::log10(low_) + hair));
  const auto last = static_cast<int>(std::ceil(std::log10(high_) - hair));
  const int every = std::max(1, (last - first) / std::max(most, 1) + 1);
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double power = std::pow(10.0, exponent);
    for (int digit = 1; digit < 10; ++digit) {
      if (digit > 1 && every > 1) break;
      const double value = digit * power;
      if (value < low_ * (1 - hair) || value > high_ * (1 + hair)) continue;
      const bool has_label = digit == 1 && exponent % every == 0;
      ticks.push_back({value, has_label ? power_label(exponent, value) : ""});
    }
  }
  return ticks;
}

}  // namespace convoy
