// Maps values to positions along an axis, and chooses the round numbers that mark it.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy {

struct Tick {
  double value = 0;
  std::string label;  // empty: a grid line without a number
};

class Scale {
 public:
  // Covers all of `values` that can be shown; NaN, infinities, and on a logarithmic axis values up
  // to zero, are left out. With no value, or only one, it covers some range around it. `margin`:
  // added at both ends, as a fraction of the range.
  Scale(std::span<const double> values, bool logarithmic, double margin);

  bool shows(double value) const;
  // 0 at the low end, 1 at the high end, beyond them outside. Needs `shows(value)`.
  double at(double value) const;

  double low() const { return low_; }
  double high() const { return high_; }

  // The ticks from low to high, at most about `most` with numbers: 1, 2 or 5 times a power of ten
  // apart, or at powers of ten.
  std::vector<Tick> ticks(int most) const;

 private:
  std::vector<Tick> even_ticks(int most) const;
  std::vector<Tick> decades(int most) const;

  bool logarithmic_;
  double low_ = 0, high_ = 1;
};

}  // namespace convoy
