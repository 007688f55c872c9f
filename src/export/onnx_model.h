// An ONNX model as plain values, between the writer, the reader and export/onnx_file.cpp, which
// alone uses protobuf.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/shape.h"

namespace convoy {

// A row-major tensor. Only the list of its element type is used. A tensor of an unsupported type
// has neither list; its user must refuse it by `type`.
struct OnnxTensor {
  enum Type : int32_t { f32 = 1, s32 = 6, s64 = 7, f64 = 11, bf16 = 16 };

  std::string name;
  Shape shape;
  int32_t type = f32;  // ONNX's numbers; s32 is stored as s64, f64 as f32; bf16 has `floats`
  std::vector<float> floats;
  std::vector<int64_t> whole;
};

// The operator's definition of the attribute decides which field is used.
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
  std::vector<std::string> in, out;  // an empty name: omitted
  std::vector<OnnxAttribute> attributes;

  const OnnxAttribute* find(std::string_view attribute) const;
};

// An input or output. A negative dimension is not fixed.
struct OnnxValue {
  std::string name;
  int32_t type = OnnxTensor::f32;
  std::vector<int64_t> dims;
};

struct OnnxModel {
  int64_t ir_version = 0;
  int64_t opset = 0;  // version of the standard operator set
  std::string producer, producer_version;
  std::map<std::string, std::string> metadata;
  std::string name;  // the graph's name
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> constants;  // initializers
  std::vector<OnnxValue> inputs, outputs;
};

}  // namespace convoy
