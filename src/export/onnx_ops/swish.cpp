// x * sigmoid(x): ONNX has no swish before operator set 24.

#include "export/onnx_form.h"

namespace convoy {

OnnxForm swish_onnx_form() {
  return {"swish", [](OnnxWriter& w, const Node& n) {
            const std::string x = w.name(n.in[0]);
            w.write(n, "Mul", {x, w.step(n, "Sigmoid", {x})});
          }};
}

}  // namespace convoy
