// As the norm of instances of images [n, groups, elements]; the scale of each channel follows.

#include "ops/norm/group_norm.h"

#include "export/onnx_form.h"

namespace convoy {

OnnxForm group_norm_onnx_form() {
  return {
      "group_norm", [](OnnxWriter& w, const Node& n) {
        const ops::GroupNormOptions o = ops::group_norm_options(n);
        const auto groups = static_cast<size_t>(o.groups);
        const std::string one = w.floats(n.name + ".one", {o.groups}, std::vector(groups, 1.0f));
        const std::string zero = w.floats(n.name + ".zero", {o.groups}, std::vector(groups, 0.0f));
        const Shape& x = w.shape(n.in[0]);
        const std::string split =
            w.step(n, "Reshape", {w.name(n.in[0]), w.integers(n, "groups", {0, o.groups, -1})});
        const std::string even = w.step(n, "InstanceNormalization", {split, one, zero},
                                        {onnx_number("epsilon", o.epsilon)});
        const std::string whole =
            w.step(n, "Reshape", {even, w.integers(n, "shape", {0, x[1], x[2], x[3]})});
        const std::string scaled = w.step(n, "Mul", {whole, w.reshaped(n.in[1], {x[1], 1, 1})});
        w.write(n, "Add", {scaled, w.reshaped(n.in[2], {x[1], 1, 1})});
      }};
}

}  // namespace convoy
