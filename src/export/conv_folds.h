// What disappears in a convolution: its bias, and the batch norm behind it. In evaluation the norm
// is affine, so its scale goes into the filters and its shift into the bias. Computed in double.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "weights/safetensors.h"

namespace convoy {

// The weights of a graph by name; borrows their data.
class WeightTable {
 public:
  explicit WeightTable(std::span<const TensorEntry> weights);
  // Of a parameter or statistic. A missing one, or one of another shape or type, is
  // Fault::checkpoint naming it.
  std::vector<float> at(const std::string& name, const Shape& shape) const;
  std::vector<float> at(const Graph& graph, Value v) const;

 private:
  std::map<std::string, const TensorEntry*, std::less<>> entries_;
};

struct ConvFolds {
  struct Conv {
    std::vector<double> scale, bias;  // of each output channel
    std::string bias_name;            // of the parameter; empty: there was none
  };
  std::map<int, Conv> convs;  // by node; those that took something in
  std::map<int, Value> same;  // what was taken in: its output -> the convolution's
};

// A bias or norm folds when it alone reads the result before it, and nothing else the filters.
ConvFolds fold_into_convs(const Graph& graph, const WeightTable& weights, bool norms);

}  // namespace convoy
