#include "export/onnx_form.h"

namespace convoy {

OnnxForm concat_onnx_form() {
  return {"concat", [](OnnxWriter& w, const Node& n) {
            OnnxWriter::Names parts;
            for (const Value v : n.in) parts.push_back(w.name(v));
            w.write(n, "Concat", parts, {onnx_integer("axis", 1)});
          }};
}

}  // namespace convoy
