// Every stride-th pixel, then channels of zeros behind.

#include "export/onnx_form.h"
#include "ops/shortcut.h"

namespace convoy {

OnnxForm subsample_shortcut_onnx_form() {
  return {"subsample_shortcut", [](OnnxWriter& w, const Node& n) {
            const int64_t stride = ops::subsample_stride(n);
            const Shape &x = w.shape(n.in[0]), &y = w.shape(n.out[0]);
            const std::string pixels =
                w.step(n, "Slice",
                       {w.name(n.in[0]), w.integers(n, "starts", {0, 0}),
                        w.integers(n, "ends", {x[2], x[3]}), w.integers(n, "axes", {2, 3}),
                        w.integers(n, "steps", {stride, stride})});
            w.write(n, "Pad", {pixels, w.integers(n, "pads", {0, 0, 0, 0, 0, y[1] - x[1], 0, 0})});
          }};
}

}  // namespace convoy
