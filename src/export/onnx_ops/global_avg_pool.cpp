// Ours gives [n, c], theirs [n, c, 1, 1].

#include "export/onnx_form.h"

namespace convoy {

OnnxForm global_avg_pool_onnx_form() {
  return {"global_avg_pool", [](OnnxWriter& w, const Node& n) {
            w.write(n, "Flatten", {w.step(n, "GlobalAveragePool", {w.name(n.in[0])})},
                    {onnx_integer("axis", 1)});
          }};
}

}  // namespace convoy
