// Finds the biases and batch norms that can be folded into the convolution before them, and
// computes the new weights in double. In evaluation a batch norm is affine: its scale multiplies
// the filters, its shift is added to the bias.
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
  // The values of a parameter or statistic. A missing one, or one of another shape or type, is
  // Fault::checkpoint naming it.
  std::vector<float> at(const std::string& name, const Shape& shape) const;
  std::vector<float> at(const Graph& graph, Value v) const;

 private:
  std::map<std::string, const TensorEntry*, std::less<>> entries_;
};

struct ConvFolds {
  struct Conv {
    std::vector<double> scale, bias;  // per output channel
    std::string bias_name;            // of the bias parameter; empty: none
  };
  std::map<int, Conv> convs;  // by node: convolutions with something folded in
  std::map<int, Value> same;  // output of a folded node -> the convolution's output
};

// A bias or norm is folded if it is the only reader of the value before it, and no other node uses
// the filters. `norms`: fold batch norms too.
ConvFolds fold_into_convs(const Graph& graph, const WeightTable& weights, bool norms);

}  // namespace convoy
