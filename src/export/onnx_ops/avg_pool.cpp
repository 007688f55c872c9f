#include "export/onnx_form.h"
#include "export/pool_attributes.h"

namespace convoy {

OnnxForm avg_pool_onnx_form() {
  return {"avg_pool", [](OnnxWriter& w, const Node& n) {
            OnnxWriter::Attributes attributes = onnx_pool_attributes(n);
            attributes.push_back(
                onnx_integer("count_include_pad", ops::pool_options(n).count_padding ? 1 : 0));
            w.write(n, "AveragePool", {w.name(n.in[0])}, attributes);
          }};
}

}  // namespace convoy
