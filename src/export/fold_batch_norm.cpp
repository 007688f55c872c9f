#include "export/fold_batch_norm.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "ops/batch_norm_fusion.h"
#include "ops/batch_norm_kernels.h"
#include "ops/convolution.h"

namespace convoy {

WeightTable::WeightTable(std::span<const TensorEntry> weights) {
  for (const TensorEntry& entry : weights) entries_[entry.name] = &entry;
}

std::vector<float> WeightTable::at(const std::string& name, const Shape& shape) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) raise(Fault::checkpoint, "the weights have no tensor {}", name);
  const TensorEntry& entry = *found->second;
  if (entry.dtype != DType::f32 || entry.shape != shape) {
    raise(Fault::checkpoint, "{} is {} {}, the model has f32 {}", name, convoy::name(entry.dtype),
          to_string(entry.shape), to_string(shape));
  }
  std::vector<float> values(static_cast<size_t>(shape.count()));
  std::memcpy(values.data(), entry.data.data(), entry.data.size());
  return values;
}

BatchNormFolds fold_batch_norms(const Graph& graph, const WeightTable& weights) {
  BatchNormFolds folds;
  for (const int id : graph.order) {
    const Node& norm = graph.node(id);
    if (norm.op != &ops::batch_norm_eval_def) continue;
    const Node& conv = graph.producer(norm.in[0]);
    const auto call = ops::conv_call(conv);
    if (!call || call->pass != onednn::ConvPass::forward) continue;
    const Value filters = conv.in[1];
    if (graph.info(filters).region != Region::params || graph.is_result(norm.in[0]) ||
        graph.readers(norm.in[0]).size() != 1 || graph.readers(filters).size() != 1) {
      continue;
    }
    const auto values = [&](Value v) {
      return weights.at(graph.producer(v).name, graph.type(v).shape);
    };
    const std::vector<float> gamma = values(norm.in[1]), beta = values(norm.in[2]),
                             mean = values(norm.in[3]), variance = values(norm.in[4]);
    const double epsilon = norm.attrs<ops::BatchNormAttrs>().epsilon;
    std::vector<float> w = values(filters), bias(gamma.size());
    const size_t each = w.size() / gamma.size();
    for (size_t c = 0; c < gamma.size(); ++c) {
      const double scale = gamma[c] / std::sqrt(variance[c] + epsilon);
      bias[c] = static_cast<float>(beta[c] - mean[c] * scale);
      for (size_t i = c * each; i < (c + 1) * each; ++i) w[i] = static_cast<float>(w[i] * scale);
    }
    folds.filters[filters.id] = std::move(w);
    folds.biases[conv.id] = std::move(bias);
    folds.same[norm.out[0].id] = norm.in[0];
  }
  return folds;
}

}  // namespace convoy
