#include "export/onnx_import.h"

#include "base/error.h"
#include "export/onnx_family.h"

namespace convoy {
namespace {

// The limit of numbers in memory for constants and weights: ten times those of the file, since
// nodes copy some, plus half a gigabyte for computed constants.
int64_t room_for(const OnnxModel& model) {
  const auto numbers = [](const OnnxTensor& t) { return t.floats.size() + t.whole.size(); };
  size_t stored = 0;
  for (const OnnxTensor& constant : model.constants) stored += numbers(constant);
  for (const OnnxNode& node : model.nodes) {
    for (const OnnxAttribute& attribute : node.attributes)
      stored += attribute.t ? numbers(*attribute.t) : 0;
  }
  return (int64_t{1} << 27) + 10 * static_cast<int64_t>(stored);
}

const OnnxReader* reader_of(std::string_view op) {
  for (const OnnxFamily& family : onnx_family_catalog()) {
    for (const OnnxReader& reader : family.readers) {
      if (reader.op == op) return &reader;
    }
  }
  return nullptr;
}

// The name on one line, for messages: it may contain any bytes.
std::string shown(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, 80)) text += c >= ' ' && c < 127 ? c : '?';
  return text;
}

void add_inputs(const OnnxModel& model, int64_t batch, const std::string& origin,
                OnnxScope& scope) {
  for (const OnnxValue& input : model.inputs) {
    if (scope.names.contains(input.name)) continue;  // an initializer is its default value
    Shape shape;
    for (const int64_t dim : input.dims) {
      if (shape.rank() == Shape::max_rank) break;
      shape.append(dim < 0 && shape.rank() == 0 ? batch : dim);
    }
    if (input.dims.empty() || input.dims.size() > Shape::max_rank || checked_count(shape) < 1 ||
        input.type != OnnxTensor::f32) {
      raise(Fault::checkpoint, "{}: the input \"{}\" is not of floats of a known shape", origin,
            shown(input.name));
    }
    scope.names.emplace(input.name, scope.builder.input(input.name, {shape}));
  }
}

void read_node(const OnnxNode& node, const std::string& origin, OnnxScope& scope) {
  try {
    const OnnxReader* reader =
        node.domain.empty() || node.domain == "ai.onnx" ? reader_of(node.op) : nullptr;
    if (!reader) raise(Fault::checkpoint, "the operator has no equal here");
    if (node.out.empty() || node.out[0].empty()) raise(Fault::checkpoint, "it has no output");
    OnnxCall call(scope, node);
    reader->read(call);
  } catch (const Error& error) {
    raise(Fault::checkpoint, "{}: {} \"{}\": {}", origin, shown(node.op),
          shown(node.name.empty() && !node.out.empty() ? node.out[0] : node.name), error.what());
  }
}

}  // namespace

OnnxImport import_onnx(const OnnxModel& model, int64_t batch, const std::string& origin) {
  OnnxImport import;
  OnnxScope scope(import, model.opset, room_for(model));
  for (const OnnxTensor& constant : model.constants) {
    if (!scope.names.emplace(constant.name, constant).second)
      raise(Fault::checkpoint, "{}: two tensors are called \"{}\"", origin, shown(constant.name));
  }
  add_inputs(model, batch, origin, scope);
  for (const OnnxNode& node : model.nodes) read_node(node, origin, scope);
  for (const OnnxValue& output : model.outputs) {
    const auto found = scope.names.find(output.name);
    const Value* value = found == scope.names.end() ? nullptr : std::get_if<Value>(&found->second);
    if (!value || import.graph.info(*value).region != &regions::workspace)
      raise(Fault::checkpoint, "{}: no node computes the output \"{}\"", origin,
            shown(output.name));
    scope.builder.output(output.name, *value);
  }
  if (model.outputs.empty()) raise(Fault::checkpoint, "{}: the model has no output", origin);
  return import;
}

}  // namespace convoy
