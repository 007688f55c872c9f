// What variables of TensorFlow layers are called in torchvision's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weights/match.h"

namespace convoy {

// "a/b/conv2d_3/kernel/.ATTRIBUTES/VARIABLE_VALUE": layer "conv2d_3", variable "kernel", and the
// scope "a/b". None: the name has no layer.
struct TfVariable {
  std::string scope, layer, variable;
};
std::optional<TfVariable> tf_variable(std::string_view name);

// Our name for a variable of the layer that we call `ours`. `dense`: its kernel is [in, out]. None:
// no variable of such a layer.
std::optional<Renamed> tf_renamed(const std::string& ours, std::string_view variable, bool dense);

}  // namespace convoy
