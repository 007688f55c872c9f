#include "export/onnx_form.h"

namespace convoy {

OnnxForm leaky_relu_onnx_form() {
  return {"leaky_relu", [](OnnxWriter& w, const Node& n) {
            w.write(n, "LeakyRelu", {w.name(n.in[0])}, {onnx_number("alpha", n.attrs<float>())});
          }};
}

}  // namespace convoy
