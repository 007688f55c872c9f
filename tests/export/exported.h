// Small graphs with weights, for tests of what goes out and comes back.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "export/onnx_import.h"
#include "export/onnx_writer.h"
#include "support/session.h"

namespace convoy::test {

using WeightMap = std::map<std::string, std::vector<float>>;
using Build = std::function<Value(Builder&, Value image)>;

// The graph of `build` for evaluation; it is asked for another batch too.
inline Graph graph_of(const Build& build, const Shape& image) {
  Graph graph;
  Builder b(graph, false);
  b.output("logits", build(b, b.input("image", {image})));
  return graph;
}

inline std::vector<float> noise(const std::string& name, int64_t count) {
  Random random(random_key(hash_bytes(name), Purpose::generated));
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = static_cast<float>(random.normal());
  return values;
}

// By name; variances are positive.
inline WeightMap weights_of(const Graph& graph) {
  WeightMap weights;
  for (const Param& p : graph.params) weights[p.name] = noise(p.name, p.shape.count());
  for (const Stat& s : graph.stats) {
    weights[s.name] = noise(s.name, s.shape.count());
    if (s.start == 0) continue;
    for (float& v : weights[s.name]) v = 0.5f + v * v;
  }
  return weights;
}

inline std::vector<TensorEntry> entries(const Graph& graph, const WeightMap& weights) {
  std::vector<TensorEntry> all;
  const auto add = [&](const std::string& name, const Shape& shape) {
    all.push_back({name, DType::f32, shape, std::as_bytes(std::span(weights.at(name)))});
  };
  for (const Param& p : graph.params) add(p.name, p.shape);
  for (const Stat& s : graph.stats) add(s.name, s.shape);
  return all;
}

inline OnnxModel exported(const Graph& graph, const WeightMap& weights, const OnnxExport& options) {
  const std::vector<TensorEntry> all = entries(graph, weights);
  return export_onnx(graph, all, options);
}

// Every input by its name.
inline std::vector<float> computed(Graph graph, const WeightMap& weights,
                                   const std::map<std::string, std::vector<float>>& inputs,
                                   const std::string& output) {
  graph.choices.winograd = Winograd::off;
  Session session(plan(std::move(graph)));
  for (const auto& slot : session.plan().state.params)
    std::copy_n(weights.at(slot.name).begin(), slot.count, session.param(slot.name).begin());
  for (const auto& slot : session.plan().state.stats)
    std::copy_n(weights.at(slot.name).begin(), slot.count, session.stat(slot.name).begin());
  for (const auto& [name, data] : inputs) session.bind(name, data.data());
  session.run();
  return session.output(output);
}

// The largest difference, as a share of the largest element.
inline double difference(const std::vector<float>& got, const std::vector<float>& wanted) {
  if (got.size() != wanted.size()) return INFINITY;
  double worst = 0, scale = 1e-30;
  for (size_t i = 0; i < got.size(); ++i) {
    const double apart = std::abs(static_cast<double>(got[i]) - wanted[i]);
    if (!(apart <= worst)) worst = apart;
    scale = std::max(scale, std::abs(static_cast<double>(wanted[i])));
  }
  return worst / scale;
}

}  // namespace convoy::test
