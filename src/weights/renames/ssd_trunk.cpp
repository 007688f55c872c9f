// The weights of a classifier as the start of a detector: the first three stages of a ResNet, with
// torchvision's names or those of TensorFlow's official models. The fourth stage and the head are
// left out; what the detector adds keeps its initial values.

#include <algorithm>

#include "weights/ssd_names.h"
#include "weights/tensorflow/tf_layers.h"
#include "weights/tensorflow/tf_names.h"

namespace convoy {
namespace {

bool is_left_out(std::string_view torchvisions) {
  return torchvisions.starts_with("layer4.") || torchvisions.starts_with("fc.");
}

// An empty name: left out.
Renames rename_torchvisions(std::span<const std::string> names, std::span<const Wanted> wanted) {
  Renames renames;
  if (ssd_trunk(wanted).empty()) return renames;
  for (const std::string& name : names) {
    std::string ours = ssd_trunk_name(name);
    if (!ours.empty() || is_left_out(name)) renames[name] = {std::move(ours)};
  }
  return renames;
}

Renames rename_tensorflows(std::span<const std::string> names, std::span<const Wanted> wanted) {
  const TfOrder order = tf_creation_order(ssd_trunk(wanted));
  Renames renames;
  if (order.convs.empty()) return renames;
  for (const std::string& name : names) {
    const std::optional<TfVariable> found = tf_variable(name);
    if (!found) continue;
    const std::string layer = order.layer_of(found->layer);
    if (!layer.empty()) {
      if (auto renamed = tf_renamed(layer, found->variable, false)) {
        renamed->name = ssd_trunk_name(renamed->name);
        renames[name] = *renamed;
      }
      continue;
    }
    for (const char* kind : {"conv2d", "batch_normalization", "dense"}) {
      if (tf_layer_number(found->layer, kind) >= 0) renames[name] = {};
    }
  }
  return renames;
}

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  const bool torchvisions =
      std::ranges::find(names, std::string_view("conv1.weight")) != names.end();
  return torchvisions ? rename_torchvisions(names, wanted) : rename_tensorflows(names, wanted);
}

}  // namespace

WeightRename ssd_trunk_weight_rename() {
  return {.name = "a classifier's", .rename = rename, .is_part = [](std::string_view ours) {
            return !resnet_name(ours).empty();
          }};
}

}  // namespace convoy
