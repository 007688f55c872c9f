// The ONNX form of an op. Each file of export/onnx_ops/ defines the form of the op with the same
// name; an op without a file is refused.
#pragma once

#include <string_view>
#include <vector>

#include "export/onnx_writer.h"

namespace convoy {

struct OnnxForm {
  std::string_view op;  // the OpDef's name
  // Appends the ONNX nodes that compute the node's first output.
  void (*write)(OnnxWriter& w, const Node& n);
};

const std::vector<OnnxForm>& onnx_form_catalog();  // generated from the folder

}  // namespace convoy
