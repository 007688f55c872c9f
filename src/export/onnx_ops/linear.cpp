#include "export/onnx_form.h"

namespace convoy {

OnnxForm linear_onnx_form() {
  return {"linear", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Gemm", {w.name(n.in[0]), w.name(n.in[1]), w.name(n.in[2])},
                    {onnx_integer("transB", 1)});
          }};
}

}  // namespace convoy
