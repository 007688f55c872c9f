// Curves in one line of text, by blocks of eight heights.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace convoy {

// A curve of at most `columns` characters: values are averaged where there are more. Values that
// are not finite are left out. Without `unicode` the heights are drawn by `_.-=^`. Empty: no value.
std::string block_curve(const std::vector<double>& values, size_t columns, bool unicode);

// Values over time, of which at most twice `most` are kept: neighbours are averaged.
class KeptCurve {
 public:
  explicit KeptCurve(size_t most = 256) : most_(most) {}
  void add(double value);
  const std::vector<double>& values() const { return values_; }

 private:
  size_t most_;
  size_t each_ = 1;  // values that are averaged to one
  size_t pending_ = 0;
  double sum_ = 0;
  std::vector<double> values_;
};

}  // namespace convoy
