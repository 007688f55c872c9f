#include "export/onnx_form.h"
#include "export/pool_attributes.h"

namespace convoy {

OnnxForm max_pool_onnx_form() {
  return {"max_pool", [](OnnxWriter& w, const Node& n) {
            w.write(n, "MaxPool", {w.name(n.in[0])}, onnx_pool_attributes(n));
          }};
}

}  // namespace convoy
