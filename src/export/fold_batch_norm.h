// Batch norms that disappear in the convolution before them: in evaluation both are affine, so the
// norm's scale goes into the filters and its shift becomes a bias. Computed in double.
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

 private:
  std::map<std::string, const TensorEntry*, std::less<>> entries_;
};

struct BatchNormFolds {
  std::map<int, std::vector<float>> filters;  // by parameter's value: what stands there instead
  std::map<int, std::vector<float>> biases;   // by the convolution's node
  std::map<int, Value> same;                  // the norm's output -> the convolution's
};

// A norm folds when it alone reads the convolution's result, and nothing else uses the filters.
BatchNormFolds fold_batch_norms(const Graph& graph, const WeightTable& weights);

}  // namespace convoy
