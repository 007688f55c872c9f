#include "weights/tensorflow/tf_names.h"

namespace convoy {

std::optional<TfVariable> tf_variable(std::string_view name) {
  constexpr std::string_view keras_suffix = "/.ATTRIBUTES/VARIABLE_VALUE";
  if (name.ends_with(keras_suffix)) name.remove_suffix(keras_suffix.size());
  if (name.ends_with(":0")) name.remove_suffix(2);
  const size_t last = name.rfind('/');
  if (last == name.npos || last == 0) return std::nullopt;
  const std::string_view before = name.substr(0, last);
  const size_t scope = before.rfind('/');
  return TfVariable{
      .scope = std::string(scope == before.npos ? std::string_view() : before.substr(0, scope)),
      .layer = std::string(scope == before.npos ? before : before.substr(scope + 1)),
      .variable = std::string(name.substr(last + 1))};
}

std::optional<Renamed> tf_renamed(const std::string& ours, std::string_view variable, bool dense) {
  if (variable == "kernel") {
    return Renamed{ours + ".weight", dense ? Arrangement::in_out : Arrangement::hwio};
  }
  if (variable == "depthwise_kernel") return Renamed{ours + ".weight", Arrangement::hwim};
  if (variable == "bias") return Renamed{ours + ".bias"};
  if (variable == "gamma") return Renamed{ours + ".weight"};
  if (variable == "beta") return Renamed{ours + ".bias"};
  if (variable == "moving_mean") return Renamed{ours + ".running_mean"};
  if (variable == "moving_variance") return Renamed{ours + ".running_var"};
  return std::nullopt;
}

}  // namespace convoy
