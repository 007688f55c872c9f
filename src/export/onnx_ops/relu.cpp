#include "export/onnx_form.h"

namespace convoy {

OnnxForm relu_onnx_form() {
  return {"relu", [](OnnxWriter& w, const Node& n) { w.write(n, "Relu", {w.name(n.in[0])}); }};
}

}  // namespace convoy
