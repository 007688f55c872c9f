#include "ops/pad.h"

#include "export/onnx_form.h"

namespace convoy {

OnnxForm pad_onnx_form() {
  return {"pad", [](OnnxWriter& w, const Node& n) {
            const ops::Padding p = ops::pad_padding(n);
            w.write(n, "Pad",
                    {w.name(n.in[0]),
                     w.integers(n, "pads", {0, 0, p.top, p.left, 0, 0, p.bottom, p.right})});
          }};
}

}  // namespace convoy
