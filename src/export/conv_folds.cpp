#include "export/conv_folds.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "ops/conv/convolution.h"
#include "ops/norm/batch_norm.h"

namespace convoy {
namespace {

// The convolution that computes `v`, including what is folded into it so far; null if there is none
// or another node reads its result.
const Node* conv_before(const Graph& graph, Value v, const ConvFolds& folds) {
  if (graph.is_result(v) || graph.readers(v).size() != 1) return nullptr;
  const auto same = folds.same.find(v.id);
  const Node& conv = graph.producer(same == folds.same.end() ? v : same->second);
  const auto call = ops::conv_call(conv);
  if (!call || call->pass != onednn::ConvPass::forward) return nullptr;
  const Value filters = conv.in[1];
  const bool own =
      graph.info(filters).region == &regions::params && graph.readers(filters).size() == 1;
  return own ? &conv : nullptr;
}

}  // namespace

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

std::vector<float> WeightTable::at(const Graph& graph, Value v) const {
  return at(graph.producer(v).name, graph.type(v).shape);
}

ConvFolds fold_into_convs(const Graph& graph, const WeightTable& weights, bool norms) {
  ConvFolds folds;
  for (const int id : graph.order) {
    const Node& n = graph.node(id);
    const bool norm = n.op->name == "batch_norm_eval";
    if (norm ? !norms : n.op->name != "add_bias") continue;
    const Node* conv = conv_before(graph, n.in[0], folds);
    if (!conv) continue;
    const auto channels = static_cast<size_t>(graph.type(n.out[0]).shape[1]);
    ConvFolds::Conv& fold =
        folds.convs
            .try_emplace(conv->id, ConvFolds::Conv{std::vector<double>(channels, 1.0),
                                                   std::vector<double>(channels, 0.0),
                                                   {}})
            .first->second;
    folds.same[n.out[0].id] = conv->out[0];
    if (!norm) {
      const std::vector<float> bias = weights.at(graph, n.in[1]);
      for (size_t c = 0; c < channels; ++c) fold.bias[c] += bias[c];
      fold.bias_name = graph.producer(n.in[1]).name;
      continue;
    }
    const std::vector<float> gamma = weights.at(graph, n.in[1]), beta = weights.at(graph, n.in[2]),
                             mean = weights.at(graph, n.in[3]),
                             variance = weights.at(graph, n.in[4]);
    const double epsilon = ops::batch_norm_options(n).epsilon;
    for (size_t c = 0; c < channels; ++c) {
      const double scale = gamma[c] / std::sqrt(variance[c] + epsilon);
      fold.bias[c] = beta[c] + (fold.bias[c] - mean[c]) * scale;
      fold.scale[c] *= scale;
    }
  }
  return folds;
}

}  // namespace convoy
