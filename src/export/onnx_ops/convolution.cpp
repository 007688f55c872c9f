#include "ops/convolution.h"

#include "export/onnx_form.h"

namespace convoy {

OnnxForm convolution_onnx_form() {
  return {"convolution", [](OnnxWriter& w, const Node& n) {
            const onednn::ConvShape s = ops::conv_call(n)->shape;
            OnnxWriter::Names in{w.name(n.in[0]), w.name(n.in[1])};
            if (const std::string bias = w.folded_bias(n); !bias.empty()) in.push_back(bias);
            w.write(n, "Conv", in,
                    {onnx_integers("dilations", {1, 1}), onnx_integer("group", s.groups),
                     onnx_integers("kernel_shape", {s.kh, s.kw}),
                     onnx_integers("pads", {s.pad_top, s.pad_left, s.pad_bottom, s.pad_right}),
                     onnx_integers("strides", {s.stride_h, s.stride_w})});
          }};
}

}  // namespace convoy
