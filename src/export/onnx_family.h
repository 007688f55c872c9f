// How ops of ours look in ONNX, and how ONNX's operators are read. Each file of export/onnx_ops/ is
// a family of both; an op without a form, or an operator without a reader, is refused by name.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_call.h"
#include "export/onnx_writer.h"

namespace convoy {

struct OnnxForm {
  std::string_view op;  // the OpDef's name
  // The ONNX node that takes the same inputs and computes the first output.
  std::string_view node = "";
  OnnxWriter::Attributes (*attributes)(const Node& n) = nullptr;  // its own; null: it has none
  // Instead, where one node does not do it: writes several.
  void (*write)(OnnxWriter& w, const Node& n) = nullptr;
};

struct OnnxReader {
  std::string_view op;  // ONNX's name
  // Builds it from our ops and gives its outputs; what they cannot express it refuses.
  void (*read)(OnnxCall& call) = nullptr;
};

struct OnnxFamily {
  std::vector<OnnxForm> forms = {};
  std::vector<OnnxReader> readers = {};
};

const std::vector<OnnxFamily>& onnx_family_catalog();  // generated from the folder

}  // namespace convoy
