#include "ops/conv/convolution.h"

#include "export/onnx_form.h"

namespace convoy {

OnnxForm convolution_onnx_form() {
  return {"convolution", [](OnnxWriter& w, const Node& n) {
            const onednn::ConvShape s = ops::conv_call(n)->shape;
            OnnxWriter::Names in = w.conv_weights(n);
            in.insert(in.begin(), w.name(n.in[0]));
            w.write(n, "Conv", in,
                    {onnx_integers("dilations", {1, 1}), onnx_integer("group", s.groups),
                     onnx_integers("kernel_shape", {s.kh, s.kw}),
                     onnx_integers("pads", {s.pad_top, s.pad_left, s.pad_bottom, s.pad_right}),
                     onnx_integers("strides", {s.stride_h, s.stride_w})});
          }};
}

}  // namespace convoy
