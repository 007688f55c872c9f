// Translates variables of TensorFlow layers to torchvision's names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "weights/match.h"

namespace convoy {

// The parts of "a/b/conv2d_3/kernel/.ATTRIBUTES/VARIABLE_VALUE": scope "a/b", layer "conv2d_3",
// variable "kernel". Empty: the name has no layer.
struct TfVariable {
  std::string scope, layer, variable;
};
std::optional<TfVariable> tf_variable(std::string_view name);

// Our name of a variable of the layer that we call `ours`. `dense`: its kernel is [in, out]. Empty:
// such a layer has no such variable.
std::optional<Renamed> tf_renamed(const std::string& ours, std::string_view variable, bool dense);

}  // namespace convoy
