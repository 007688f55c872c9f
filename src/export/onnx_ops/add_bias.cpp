// Of a convolution whose result others read too; elsewhere the convolution takes it in.

#include "export/onnx_form.h"

namespace convoy {

OnnxForm add_bias_onnx_form() {
  return {"add_bias", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Add", {w.name(n.in[0]), w.reshaped(n.in[1], {w.shape(n.in[0])[1], 1, 1})});
          }};
}

}  // namespace convoy
