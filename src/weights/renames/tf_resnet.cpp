// ResNets of TensorFlow's official models (resnet_model/conv2d_7/kernel). The blocks are derived
// from the names of the wanted tensors.

#include "weights/tensorflow/tf_layers.h"
#include "weights/tensorflow/tf_names.h"

namespace convoy {
namespace {

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  std::vector<std::string> ours;
  for (const Wanted& want : wanted) ours.push_back(want.name);
  const TfOrder order = tf_creation_order(ours);
  Renames renames;
  for (const std::string& name : names) {
    const std::optional<TfVariable> found = tf_variable(name);
    if (!found) continue;
    const bool dense = tf_layer_number(found->layer, "dense") == 0;
    const std::string layer = dense ? "fc" : order.layer_of(found->layer);
    if (layer.empty()) continue;
    if (const auto renamed = tf_renamed(layer, found->variable, dense)) renames[name] = *renamed;
  }
  return renames;
}

}  // namespace

WeightRename tf_resnet_weight_rename() { return {.name = "TensorFlow's", .rename = rename}; }

}  // namespace convoy
