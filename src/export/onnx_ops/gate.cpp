// A gate [n, c, 1, 1] over an image: ONNX broadcasts it over the pixels.

#include "export/onnx_form.h"

namespace convoy {

OnnxForm gate_onnx_form() {
  return {"gate", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Mul", {w.name(n.in[0]), w.name(n.in[1])});
          }};
}

}  // namespace convoy
