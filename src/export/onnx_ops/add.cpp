#include "export/onnx_form.h"

namespace convoy {

OnnxForm add_onnx_form() {
  return {"add", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Add", {w.name(n.in[0]), w.name(n.in[1])});
          }};
}

}  // namespace convoy
