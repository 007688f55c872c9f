#include "export/onnx_form.h"
#include "ops/norm/batch_norm.h"

namespace convoy {

OnnxForm batch_norm_eval_onnx_form() {
  return {"batch_norm_eval", [](OnnxWriter& w, const Node& n) {
            OnnxWriter::Names in;
            for (const Value v : n.in) in.push_back(w.name(v));
            w.write(n, "BatchNormalization", in,
                    {onnx_number("epsilon", ops::batch_norm_options(n).epsilon)});
          }};
}

}  // namespace convoy
