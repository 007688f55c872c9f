// From an evaluation graph and its weights to an ONNX model. The forms of the ops
// (export/onnx_family.h) talk to the writer; whoever wants a model calls `export_onnx`.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/conv_folds.h"
#include "export/onnx_model.h"
#include "graph/graph.h"
#include "weights/safetensors.h"

namespace convoy {

struct OnnxExport {
  int opset = 13;               // from 13 on
  bool fold_batch_norm = true;  // into the convolutions before them
  bool fixed_batch = false;     // that of the graph; otherwise any
  bool softmax = false;         // probabilities rather than logits
  std::string name;             // of the graph
  Metadata metadata;
};

// The graph is one for prediction, as a task builds it (before any pass), with the input `image`;
// all its outputs become the file's. With `softmax` its output `logits`, the only one, becomes
// `probabilities`. `weights` holds its parameters and statistics by name. A missing one, or
// one of another shape, is Fault::checkpoint; an op without a form, Fault::usage.
OnnxModel export_onnx(const Graph& graph, std::span<const TensorEntry> weights,
                      const OnnxExport& options);

class OnnxWriter {
 public:
  // Borrows all three.
  OnnxWriter(const Graph& graph, const WeightTable& weights, const OnnxExport& options);

  OnnxModel model() &&;

  // For the forms.

  const Shape& shape(Value v) const { return graph_.type(v).shape; }
  // What the value is called. A parameter or statistic becomes a constant of the model when it is
  // first asked for.
  std::string name(Value v);
  // Whether an op of that name takes the first output.
  bool is_read_by(const Node& n, std::string_view op) const;
  // Filters and, where there is one, bias of a convolution, with what was folded into them.
  std::vector<std::string> conv_weights(const Node& n);
  // Constants that only one node needs; `what` is for people.
  std::string integers(const Node& n, std::string_view what, std::vector<int64_t> values);
  std::string floats(std::string name, const Shape& shape, std::vector<float> values);
  // The same parameter with another shape: [c] as [c, 1, 1].
  bool is_param(Value v) const { return graph_.info(v).region == &regions::params; }
  std::string reshaped(Value param, const Shape& shape);

  using Names = std::vector<std::string>;
  using Attributes = std::vector<OnnxAttribute>;
  // A node on the way to the output of `n`; gives what it computes.
  std::string step(const Node& n, std::string_view op, Names in, Attributes attributes = {});
  // No node at all: the output of `n` is what has that name already.
  void same(const Node& n, std::string name) { names_[n.out[0].id] = std::move(name); }
  // The node whose result is the output of `n`.
  void write(const Node& n, std::string_view op, Names in, Attributes attributes = {});

 private:
  std::string unique(const std::string& wanted);
  std::string add_constant(OnnxTensor tensor);
  void add(const std::string& name, std::string_view op, Names in, std::string out,
           Attributes attributes);

  const Graph& graph_;
  const WeightTable& weights_;
  const OnnxExport& options_;
  ConvFolds folds_;
  OnnxModel model_;
  std::map<int, std::string> names_;  // by value
  std::set<std::string> taken_;
};

}  // namespace convoy
