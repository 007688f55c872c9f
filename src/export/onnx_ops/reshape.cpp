// A zero keeps the first dimension, whatever the batch is. A parameter is stored with the shape it
// is used in.

#include "export/onnx_form.h"

namespace convoy {

OnnxForm reshape_onnx_form() {
  return {"reshape", [](OnnxWriter& w, const Node& n) {
            const Shape& to = w.shape(n.out[0]);
            if (w.is_param(n.in[0])) return w.same(n, w.reshaped(n.in[0], to));
            std::vector<int64_t> dims(to.begin(), to.end());
            dims[0] = 0;
            w.write(n, "Reshape", {w.name(n.in[0]), w.integers(n, "shape", dims)});
          }};
}

}  // namespace convoy
