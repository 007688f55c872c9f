// How ONNX's operators are read. Each file of export/onnx_nodes/ is a family of them; an operator
// that none of them knows is refused by name.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_call.h"

namespace convoy {

struct OnnxReader {
  std::string_view op;  // ONNX's name
  // Builds it from our ops and gives its outputs; what they cannot express it refuses.
  void (*read)(OnnxCall& call);
};
using OnnxNodes = std::vector<OnnxReader>;

const std::vector<OnnxNodes>& onnx_nodes_catalog();  // generated from the folder

}  // namespace convoy
