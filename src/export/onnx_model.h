// An ONNX model as plain values: what the writer makes and the reader is given. Protobuf stays
// behind export/onnx_file.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace convoy {

// Row-major. Of the two lists only that of the element type is used. A tensor of another type has
// neither, and its count does not fit its shape: whoever uses it refuses it by `type`.
struct OnnxTensor {
  enum Type : int32_t { f32 = 1, s32 = 6, s64 = 7, f64 = 11 };

  std::string name;
  Shape shape;
  int32_t type = f32;  // as the format counts them; s32 is kept as s64, f64 as f32
  std::vector<float> floats;
  std::vector<int64_t> whole;
};

// Which of the fields counts is said by what the op expects under that name.
struct OnnxAttribute {
  enum Kind : int32_t { none = 0, number = 1, integer = 2, text = 3, tensor = 4, integers = 7 };

  std::string name;
  int32_t kind = none;
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::vector<int64_t> ints;
  std::optional<OnnxTensor> t;
};

OnnxAttribute onnx_integer(std::string name, int64_t value);
OnnxAttribute onnx_integers(std::string name, std::vector<int64_t> values);
OnnxAttribute onnx_number(std::string name, float value);

struct OnnxNode {
  std::string op, name, domain;
  std::vector<std::string> in, out;  // an empty name: left out
  std::vector<OnnxAttribute> attributes;

  const OnnxAttribute* find(std::string_view attribute) const;
};

// An input or output. A dimension below zero is not fixed.
struct OnnxValue {
  std::string name;
  int32_t type = OnnxTensor::f32;
  std::vector<int64_t> dims;
};

struct OnnxModel {
  int64_t ir_version = 0;
  int64_t opset = 0;  // of the standard operators
  std::string producer, producer_version;
  std::map<std::string, std::string> metadata;
  std::string name;  // of the graph
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> constants;  // initializers
  std::vector<OnnxValue> inputs, outputs;
};

}  // namespace convoy
