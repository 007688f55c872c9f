// The ONNX forms of our ops, and the readers of ONNX operators. Each file of export/onnx_ops/
// defines both for one family; an op without a form, or an operator without a reader, is refused by
// name.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_call.h"
#include "export/onnx_writer.h"

namespace convoy {

struct OnnxForm {
  std::string_view op;  // the OpDef's name
  // The ONNX operator that has the same inputs and computes the first output.
  std::string_view node = "";
  OnnxWriter::Attributes (*attributes)(const Node& n) = nullptr;  // of that node; null: none
  // If one node is not enough: appends several.
  void (*write)(OnnxWriter& w, const Node& n) = nullptr;
};

struct OnnxReader {
  std::string_view op;  // ONNX's name
  // Builds the operator from our ops and sets its outputs; refuses what our ops cannot express.
  void (*read)(OnnxCall& call) = nullptr;
};

struct OnnxFamily {
  std::vector<OnnxForm> forms = {};
  std::vector<OnnxReader> readers = {};
};

const std::vector<OnnxFamily>& onnx_family_catalog();  // generated from the folder

}  // namespace convoy
