// Converts an evaluation graph and its weights to an ONNX model. Call `export_onnx`; the class
// OnnxWriter is for the forms of ops (export/onnx_family.h).
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
  int opset = 13;               // 13 or later
  bool fold_batch_norm = true;  // into the convolutions before them
  bool fixed_batch = false;     // use the graph's batch size; otherwise any
  bool softmax = false;         // probabilities, not logits
  bool bf16 = false;  // weights of two dimensions or more in bf16, with a node that widens each
  std::string name;   // the graph's name
  Metadata metadata;
};

// `graph`: a prediction graph as a task builds it (before any pass), with the input `image`; all
// its outputs are exported. With `softmax` its only output `logits` becomes `probabilities`.
// `weights`: its parameters and statistics by name; a missing one, or one of another shape, is
// Fault::checkpoint. An op without a form is Fault::usage.
OnnxModel export_onnx(const Graph& graph, std::span<const TensorEntry> weights,
                      const OnnxExport& options);

class OnnxWriter {
 public:
  // Borrows all three.
  OnnxWriter(const Graph& graph, const WeightTable& weights, const OnnxExport& options);

  OnnxModel model() &&;

  // The following are for the forms.

  const Shape& shape(Value v) const { return graph_.type(v).shape; }
  // The ONNX name of a value. A parameter or statistic becomes a constant of the model when its
  // name is first requested.
  std::string name(Value v);
  // Whether an op with that name reads the node's first output.
  bool is_read_by(const Node& n, std::string_view op) const;
  // The names of a convolution's filters and bias (if any), including what was folded into them.
  std::vector<std::string> conv_weights(const Node& n);
  // Adds constants for a single node; `what` is a part of their name for people.
  std::string integers(const Node& n, std::string_view what, std::vector<int64_t> values);
  std::string floats(std::string name, const Shape& shape, std::vector<float> values);
  // The same parameter with another shape, for example [c] as [c, 1, 1].
  bool is_param(Value v) const { return graph_.info(v).region == &regions::params; }
  std::string reshaped(Value param, const Shape& shape);

  using Names = std::vector<std::string>;
  using Attributes = std::vector<OnnxAttribute>;
  // Adds an intermediate node for the output of `n`; returns the name of its result.
  std::string step(const Node& n, std::string_view op, Names in, Attributes attributes = {});
  // Adds no node: the output of `n` is the existing value of that name.
  void same(const Node& n, std::string name) { names_[n.out[0].id] = std::move(name); }
  // Adds the node whose result is the output of `n`.
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
