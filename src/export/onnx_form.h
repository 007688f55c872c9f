// How an op of ours looks in ONNX. Each file of export/onnx_ops/ is one op, named as the op is;
// an op without a file is refused by name.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_writer.h"

namespace convoy {

struct OnnxForm {
  std::string_view op;  // the OpDef's name
  // Writes the ONNX nodes that compute the node's first output.
  void (*write)(OnnxWriter& w, const Node& n);
};

const std::vector<OnnxForm>& onnx_form_catalog();  // generated from the folder

}  // namespace convoy
