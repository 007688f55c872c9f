#include "export/onnx_writer.h"

#include <fmt/core.h>

#include "base/error.h"
#include "export/onnx_family.h"
#include "version.h"

namespace convoy {
namespace {

// The oldest IR version that allows that operator set.
int64_t ir_version_for(int opset) {
  if (opset >= 21) return 10;
  if (opset >= 19) return 9;
  return opset >= 15 ? 8 : 7;
}

const OnnxForm& form_of(const Node& n) {
  for (const OnnxFamily& family : onnx_family_catalog()) {
    for (const OnnxForm& form : family.forms) {
      if (form.op == n.op->name) return form;
    }
  }
  raise(Fault::usage, "{}: the op {} has no ONNX form; try: --format safetensors", n.name,
        n.op->name);
}

// The nodes that the graph's outputs depend on.
std::set<int> needed_for(const Graph& graph) {
  std::set<int> needed;
  for (const NamedValue& output : graph.outputs) needed.insert(graph.info(output.value).node);
  for (auto id = graph.order.rbegin(); id != graph.order.rend(); ++id) {
    if (!needed.contains(*id)) continue;
    for (const Value v : graph.node(*id).in) needed.insert(graph.info(v).node);
  }
  return needed;
}

Value find(const std::vector<NamedValue>& list, std::string_view name) {
  for (const NamedValue& one : list) {
    if (one.name == name) return one.value;
  }
  raise(Fault::bug, "the graph has no {}", name);
}

}  // namespace

OnnxModel export_onnx(const Graph& graph, std::span<const TensorEntry> weights,
                      const OnnxExport& options) {
  const WeightTable table(weights);
  return OnnxWriter(graph, table, options).model();
}

OnnxWriter::OnnxWriter(const Graph& graph, const WeightTable& weights, const OnnxExport& options)
    : graph_(graph), weights_(weights), options_(options) {
  folds_ = fold_into_convs(graph, weights, options.fold_batch_norm);
}

OnnxModel OnnxWriter::model() && {
  const Value image = find(graph_.inputs, "image");
  const auto value = [&](std::string name, Value v) {
    std::vector<int64_t> dims(shape(v).begin(), shape(v).end());
    if (!options_.fixed_batch) dims[0] = -1;
    return OnnxValue{.name = std::move(name), .dims = std::move(dims)};
  };
  model_.ir_version = ir_version_for(options_.opset);
  model_.opset = options_.opset;
  model_.producer = "convoy";
  model_.producer_version = version;
  model_.name = options_.name;
  model_.metadata = options_.metadata;
  model_.inputs = {value("image", image)};
  taken_ = {"image"};
  names_[image.id] = "image";
  for (const NamedValue& output : graph_.outputs) {
    model_.outputs.push_back(value(options_.softmax ? "probabilities" : output.name, output.value));
    expect(!folds_.same.contains(output.value.id), "a result is nowhere taken in");
    names_[output.value.id] = output.name;
    taken_.insert({output.name, model_.outputs.back().name});
  }
  const std::set<int> needed = needed_for(graph_);
  for (const int id : graph_.order) {
    const Node& n = graph_.node(id);
    if (!needed.contains(id) || !n.op->kernel || folds_.same.contains(n.out[0].id)) continue;
    const OnnxForm& form = form_of(n);
    if (form.write) {
      form.write(*this, n);
      continue;
    }
    Names in;
    for (const Value v : n.in) in.push_back(name(v));
    write(n, form.node, std::move(in), form.attributes ? form.attributes(n) : Attributes{});
  }
  if (options_.softmax) {
    const std::string& last = model_.outputs.at(0).name;
    add(last, "Softmax", {"logits"}, last, {onnx_integer("axis", 1)});
  }
  return std::move(model_);
}

std::string OnnxWriter::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}.{}", wanted, i);
  return name;
}

std::string OnnxWriter::add_constant(OnnxTensor tensor) {
  tensor.name = unique(tensor.name);
  model_.constants.push_back(std::move(tensor));
  return model_.constants.back().name;
}

std::string OnnxWriter::name(Value v) {
  if (const auto same = folds_.same.find(v.id); same != folds_.same.end()) v = same->second;
  if (const auto known = names_.find(v.id); known != names_.end()) return known->second;
  const Region* region = graph_.info(v).region;
  const std::string& maker = graph_.producer(v).name;
  if (region == &regions::workspace) return names_[v.id] = unique(maker);
  if (region != &regions::params && region != &regions::stats) {
    raise(Fault::usage,
          "the network reads its input {}, which an ONNX file of images has not; "
          "try: --format safetensors",
          maker);
  }
  return names_[v.id] = floats(maker, shape(v), weights_.at(graph_, v));
}

bool OnnxWriter::is_read_by(const Node& n, std::string_view op) const {
  for (const int id : graph_.readers(n.out[0])) {
    if (graph_.node(id).op->name == op) return true;
  }
  return false;
}

std::vector<std::string> OnnxWriter::conv_weights(const Node& n) {
  const auto found = folds_.convs.find(n.id);
  if (found == folds_.convs.end()) return {name(n.in[1])};
  const ConvFolds::Conv& fold = found->second;
  const std::string& maker = graph_.producer(n.in[1]).name;
  std::vector<float> filters = weights_.at(graph_, n.in[1]);
  std::vector<float> bias(fold.bias.size());
  const size_t each = filters.size() / bias.size();
  for (size_t c = 0; c < bias.size(); ++c) {
    bias[c] = static_cast<float>(fold.bias[c]);
    for (size_t i = c * each; i < (c + 1) * each; ++i)
      filters[i] = static_cast<float>(filters[i] * fold.scale[c]);
  }
  std::string bias_name = fold.bias_name;
  if (bias_name.empty()) {
    const bool usual = maker.ends_with(".weight");
    bias_name = maker.substr(0, maker.size() - (usual ? 7 : 0)) + ".bias";
  }
  const Shape channels{shape(n.in[1])[0]};
  return {floats(maker, shape(n.in[1]), std::move(filters)),
          floats(bias_name, channels, std::move(bias))};
}

std::string OnnxWriter::integers(const Node& n, std::string_view what,
                                 std::vector<int64_t> values) {
  return add_constant({.name = fmt::format("{}.{}", n.name, what),
                       .shape = {static_cast<int64_t>(values.size())},
                       .type = OnnxTensor::s64,
                       .whole = std::move(values)});
}

std::string OnnxWriter::floats(std::string name, const Shape& shape, std::vector<float> values) {
  if (options_.bf16 && shape.rank() >= 2) {
    const std::string wide = unique(name + ".fp32");
    const std::string narrow = add_constant({.name = std::move(name),
                                             .shape = shape,
                                             .type = OnnxTensor::bf16,
                                             .floats = std::move(values)});
    add(wide, "Cast", {narrow}, wide, {onnx_integer("to", OnnxTensor::f32)});
    return wide;
  }
  return add_constant({.name = std::move(name), .shape = shape, .floats = std::move(values)});
}

std::string OnnxWriter::reshaped(Value param, const Shape& to) {
  const std::string& maker = graph_.producer(param).name;
  expect(to.count() == shape(param).count(), "reshaping keeps the elements");
  return add_constant({.name = maker, .shape = to, .floats = weights_.at(maker, shape(param))});
}

std::string OnnxWriter::step(const Node& n, std::string_view op, Names in, Attributes attributes) {
  const std::string out = unique(fmt::format("{}.{}", n.name, op));
  add(out, op, std::move(in), out, std::move(attributes));
  return out;
}

void OnnxWriter::write(const Node& n, std::string_view op, Names in, Attributes attributes) {
  const std::string out = name(n.out[0]);
  add(out, op, std::move(in), out, std::move(attributes));
}

void OnnxWriter::add(const std::string& name, std::string_view op, Names in, std::string out,
                     Attributes attributes) {
  model_.nodes.push_back({.op = std::string(op),
                          .name = name,
                          .domain = "",
                          .in = std::move(in),
                          .out = {std::move(out)},
                          .attributes = std::move(attributes)});
}

}  // namespace convoy
