#include "export/onnx_form.h"
#include "ops/batch_norm_kernels.h"

namespace convoy {

OnnxForm batch_norm_eval_onnx_form() {
  return {"batch_norm_eval", [](OnnxWriter& w, const Node& n) {
            OnnxWriter::Names in;
            for (const Value v : n.in) in.push_back(w.name(v));
            w.write(n, "BatchNormalization", in,
                    {onnx_number("epsilon", n.attrs<ops::BatchNormAttrs>().epsilon)});
          }};
}

}  // namespace convoy
