#include "export/onnx_form.h"

namespace convoy {

OnnxForm multiply_onnx_form() {
  return {"multiply", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Mul", {w.name(n.in[0]), w.name(n.in[1])});
          }};
}

}  // namespace convoy
