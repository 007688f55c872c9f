// Readers of ONNX operators. Each file of export/onnx_nodes/ reads a family of operators; unknown
// operators are refused by name.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_call.h"

namespace convoy {

struct OnnxReader {
  std::string_view op;  // ONNX's name
  // Builds the operator from our ops and sets its outputs; refuses what our ops cannot express.
  void (*read)(OnnxCall& call);
};
using OnnxNodes = std::vector<OnnxReader>;

const std::vector<OnnxNodes>& onnx_nodes_catalog();  // generated from the folder

}  // namespace convoy
