#include "export/onnx_form.h"

namespace convoy {

OnnxForm sigmoid_onnx_form() {
  return {"sigmoid",
          [](OnnxWriter& w, const Node& n) { w.write(n, "Sigmoid", {w.name(n.in[0])}); }};
}

}  // namespace convoy
