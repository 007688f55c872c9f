#include "export/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/text/text.h"
#include "export/onnx.pb.h"
#include "tensor/number_types.h"

namespace convoy {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of ONNX are little-endian");

// Writing ----------------------------------------------------------------------------------------

void put_tensor(const OnnxTensor& tensor, wire::Tensor& out) {
  if (!tensor.name.empty()) out.set_name(tensor.name);
  out.set_data_type(tensor.type);
  for (const int64_t dim : tensor.shape) out.add_dims(dim);
  const auto put = [&](const auto& values) {
    expect(static_cast<int64_t>(values.size()) == tensor.shape.count(), "a tensor fits its shape");
    out.set_raw_data(values.data(), values.size() * sizeof values[0]);
  };
  if (tensor.type == OnnxTensor::bf16) {
    std::vector<Bf16> rounded(tensor.floats.size());
    std::ranges::transform(tensor.floats, rounded.begin(), [](float v) { return narrowed(v); });
    return put(rounded);
  }
  expect(tensor.type == OnnxTensor::f32 || tensor.type == OnnxTensor::s64, "a type we write");
  tensor.type == OnnxTensor::f32 ? put(tensor.floats) : put(tensor.whole);
}

void put_node(const OnnxNode& node, wire::Node& out) {
  for (const std::string& name : node.in) out.add_input(name);
  for (const std::string& name : node.out) out.add_output(name);
  out.set_name(node.name);
  out.set_op_type(node.op);
  for (const OnnxAttribute& a : node.attributes) {
    wire::Attribute& to = *out.add_attribute();
    to.set_name(a.name);
    to.set_type(a.kind);
    if (a.kind == OnnxAttribute::number) to.set_f(a.f);
    if (a.kind == OnnxAttribute::integer) to.set_i(a.i);
    if (a.kind == OnnxAttribute::text) to.set_s(a.s);
    if (a.kind == OnnxAttribute::tensor) put_tensor(*a.t, *to.mutable_t());
    for (const int64_t i : a.ints) to.add_ints(i);
  }
}

void put_value(const OnnxValue& value, wire::ValueInfo& out) {
  out.set_name(value.name);
  wire::TensorType& type = *out.mutable_type()->mutable_tensor_type();
  type.set_elem_type(value.type);
  for (const int64_t dim : value.dims) {
    wire::Dimension& to = *type.mutable_shape()->add_dim();
    dim < 0 ? to.set_dim_param("N") : to.set_dim_value(dim);
  }
}

// Reading ----------------------------------------------------------------------------------------

// For messages: names in a file may contain any bytes.
std::string shown(const std::string& name) {
  std::string text;
  for (const char c : name.substr(0, 80)) {
    if (c >= ' ' && c < 127)
      text += c;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

// The location of a defect: the file, and the tensor or value in it.
struct Place {
  const std::string& origin;
  std::string what;

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    raise(Fault::checkpoint, "{}: {}: {}", origin, what,
          fmt::format(format, std::forward<Args>(args)...));
  }
};

Shape checked_shape(const wire::Tensor& in, const Place& place) {
  if (in.dims_size() > Shape::max_rank)
    place.refuse("rank {} is above {}", in.dims_size(), Shape::max_rank);
  Shape shape;
  int64_t count = 1;
  for (const int64_t dim : in.dims()) {
    if (dim < 0) place.refuse("a dimension of {}", dim);
    if (dim > 0 && count > (int64_t{1} << 40) / dim) place.refuse("its shape is too large");
    count *= std::max<int64_t>(dim, 1);
    shape.append(dim);
  }
  return shape;
}

// Elements are stored as raw bytes of type Raw, or one by one in a typed list.
template <class Raw, class To, class List>
std::vector<To> elements(const wire::Tensor& in, const List& list, int64_t count,
                         const Place& place) {
  std::vector<To> out;
  if (in.has_raw_data()) {
    const std::string& raw = in.raw_data();
    if (raw.size() != static_cast<size_t>(count) * sizeof(Raw))
      place.refuse("{} elements of {} bytes, but {} bytes of data", count, sizeof(Raw), raw.size());
    out.resize(static_cast<size_t>(count));
    for (size_t i = 0; i < out.size(); ++i) {
      Raw value;
      std::memcpy(&value, raw.data() + i * sizeof(Raw), sizeof(Raw));
      out[i] = static_cast<To>(value);
    }
    return out;
  }
  if (list.size() != count)
    place.refuse("{} elements in the shape, {} in the list", count, list.size());
  for (const auto value : list) out.push_back(static_cast<To>(value));
  return out;
}

OnnxTensor get_tensor(const wire::Tensor& in, const std::string& origin) {
  const Place place{origin, fmt::format("tensor \"{}\"", shown(in.name()))};
  OnnxTensor tensor{.name = in.name(), .shape = checked_shape(in, place), .type = in.data_type()};
  if (in.data_location() != 0) place.refuse("its data are in another file, which is not read");
  const int64_t count = tensor.shape.count();
  if (in.data_type() == OnnxTensor::f32) {
    tensor.floats = elements<float, float>(in, in.float_data(), count, place);
  } else if (in.data_type() == OnnxTensor::f64) {
    tensor.floats = elements<double, float>(in, in.double_data(), count, place);
    tensor.type = OnnxTensor::f32;
  } else if (in.data_type() == OnnxTensor::bf16) {  // lists have the bits of each as a number
    for (const uint16_t bits : elements<uint16_t, uint16_t>(in, in.int32_data(), count, place))
      tensor.floats.push_back(widened(Bf16{bits}));
  } else if (in.data_type() == OnnxTensor::s64) {
    tensor.whole = elements<int64_t, int64_t>(in, in.int64_data(), count, place);
  } else if (in.data_type() == OnnxTensor::s32) {
    tensor.whole = elements<int32_t, int64_t>(in, in.int32_data(), count, place);
    tensor.type = OnnxTensor::s64;
  }
  return tensor;
}

OnnxNode get_node(const wire::Node& in, const std::string& origin) {
  OnnxNode node{.op = in.op_type(), .name = in.name(), .domain = in.domain()};
  node.in.assign(in.input().begin(), in.input().end());
  node.out.assign(in.output().begin(), in.output().end());
  for (const wire::Attribute& a : in.attribute()) {
    OnnxAttribute to{.name = a.name(), .kind = a.type(), .f = a.f(), .i = a.i(), .s = a.s()};
    to.ints.assign(a.ints().begin(), a.ints().end());
    if (a.has_t()) to.t = get_tensor(a.t(), origin);
    node.attributes.push_back(std::move(to));
  }
  return node;
}

OnnxValue get_value(const wire::ValueInfo& in) {
  OnnxValue value{.name = in.name(), .type = in.type().tensor_type().elem_type()};
  for (const wire::Dimension& dim : in.type().tensor_type().shape().dim())
    value.dims.push_back(dim.has_dim_value() ? dim.dim_value() : -1);
  return value;
}

template <class Message>
Message parsed(std::string_view bytes, const std::string& origin) {
  Message message;
  if (bytes.size() > most_onnx_bytes ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    raise(Fault::checkpoint, "{}: this is no ONNX file, or a part of one is missing", origin);
  }
  return message;
}

}  // namespace

std::string encode_onnx(const OnnxModel& model, size_t most_bytes) {
  size_t weights = 0;
  for (const OnnxTensor& t : model.constants)
    weights += t.floats.size() * (t.type == OnnxTensor::bf16 ? 2 : 4) + t.whole.size() * 8;
  const auto check = [&](size_t bytes) {
    if (bytes <= most_bytes) return;
    raise(Fault::usage, "an ONNX file of {} is above the format's {}; try: --format safetensors",
          human_bytes(static_cast<double>(bytes)), human_bytes(static_cast<double>(most_bytes)));
  };
  check(weights);  // before they are copied
  wire::Model out;
  out.set_ir_version(model.ir_version);
  out.set_producer_name(model.producer);
  out.set_producer_version(model.producer_version);
  out.add_opset_import()->set_version(model.opset);
  out.mutable_opset_import(0)->set_domain("");
  for (const auto& [key, value] : model.metadata) {
    wire::Property& property = *out.add_metadata_props();
    property.set_key(key);
    property.set_value(value);
  }
  wire::Graph& graph = *out.mutable_graph();
  graph.set_name(model.name);
  for (const OnnxNode& node : model.nodes) put_node(node, *graph.add_node());
  for (const OnnxTensor& tensor : model.constants) put_tensor(tensor, *graph.add_initializer());
  for (const OnnxValue& value : model.inputs) put_value(value, *graph.add_input());
  for (const OnnxValue& value : model.outputs) put_value(value, *graph.add_output());
  check(out.ByteSizeLong());
  return out.SerializeAsString();
}

OnnxModel decode_onnx(std::string_view bytes, const std::string& origin) {
  const auto in = parsed<wire::Model>(bytes, origin);
  if (!in.has_graph() || in.graph().node().empty() || in.opset_import().empty())
    raise(Fault::checkpoint, "{}: this is no ONNX model: it has no nodes or no operator set",
          origin);
  OnnxModel model{.ir_version = in.ir_version(),
                  .producer = in.producer_name(),
                  .producer_version = in.producer_version(),
                  .name = in.graph().name()};
  for (const wire::OperatorSet& set : in.opset_import()) {
    if (set.domain().empty() || set.domain() == "ai.onnx") model.opset = set.version();
  }
  for (const wire::Property& p : in.metadata_props()) model.metadata[p.key()] = p.value();
  for (const wire::Node& node : in.graph().node()) model.nodes.push_back(get_node(node, origin));
  for (const wire::Tensor& tensor : in.graph().initializer())
    model.constants.push_back(get_tensor(tensor, origin));
  for (const wire::ValueInfo& value : in.graph().input()) model.inputs.push_back(get_value(value));
  for (const wire::ValueInfo& value : in.graph().output())
    model.outputs.push_back(get_value(value));
  return model;
}

OnnxModel read_onnx(const fs::path& path) {
  return decode_onnx(read_file(path, Fault::checkpoint), path.string());
}

OnnxTensor decode_onnx_tensor(std::string_view bytes, const std::string& origin) {
  return get_tensor(parsed<wire::Tensor>(bytes, origin), origin);
}

}  // namespace convoy
