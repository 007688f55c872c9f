// Before a max pool a convolution stands for it, one 1x1 filter of 1 for each channel: ONNX
// Runtime's optimiser moves a Pad of zeros into the MaxPool behind it, which pads with minus
// infinity.

#include "ops/pad.h"

#include "export/onnx_form.h"

namespace convoy {
namespace {

void write(OnnxWriter& w, const Node& n) {
  const ops::Padding p = ops::pad_padding(n);
  if (!w.is_read_by(n, "max_pool")) {
    return w.write(
        n, "Pad",
        {w.name(n.in[0]), w.integers(n, "pads", {0, 0, p.top, p.left, 0, 0, p.bottom, p.right})});
  }
  const int64_t channels = w.shape(n.in[0])[1];
  const std::string ones = w.floats(n.name + ".one", {channels, 1, 1, 1},
                                    std::vector(static_cast<size_t>(channels), 1.0f));
  w.write(n, "Conv", {w.name(n.in[0]), ones},
          {onnx_integer("group", channels), onnx_integers("kernel_shape", {1, 1}),
           onnx_integers("pads", {p.top, p.left, p.bottom, p.right})});
}

}  // namespace

OnnxForm pad_onnx_form() { return {"pad", write}; }

}  // namespace convoy
