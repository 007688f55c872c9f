// From values to places along an axis, and the round numbers at which an axis is marked.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace convoy {

struct Tick {
  double value = 0;
  std::string label;  // empty: a line of the grid without a number
};

class Scale {
 public:
  // Holds all of `values` that can be shown; those that cannot (NaN, infinities, nothing above zero
  // on a logarithmic axis) are left out. Where there is none, or one alone, it is some range around
  // it. `margin`: of the range, at both ends.
  Scale(std::span<const double> values, bool logarithmic, double margin);

  bool shows(double value) const;
  // 0 at the low end, 1 at the high one; others outside. Needs `shows(value)`.
  double at(double value) const;

  double low() const { return low_; }
  double high() const { return high_; }

  // From low to high, at most about `most` of them with numbers: 1, 2 or 5 times a power of ten
  // apart, or powers of ten.
  std::vector<Tick> ticks(int most) const;

 private:
  std::vector<Tick> even_ticks(int most) const;
  std::vector<Tick> decades(int most) const;

  bool logarithmic_;
  double low_ = 0, high_ = 1;
};

}  // namespace convoy
