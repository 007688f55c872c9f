// ResNets of TensorFlow's official models (resnet_model/conv2d_7/kernel). Layers are numbered in
// the order of their creation: in a block with a projection, the projection first (in v1 with its
// norm), then the convolutions. The blocks are derived from the names of the wanted tensors.

#include <fmt/core.h>

#include <charconv>
#include <set>

#include "weights/tensorflow/tf_names.h"

namespace convoy {
namespace {

// "conv2d" gives 0, "conv2d_7" gives 7, another kind of layer gives -1.
int number_of(std::string_view layer, std::string_view kind) {
  if (!layer.starts_with(kind)) return -1;
  layer.remove_prefix(kind.size());
  if (layer.empty()) return 0;
  int number = -1;
  const auto [end, error] = std::from_chars(layer.data() + 1, layer.data() + layer.size(), number);
  const bool whole = layer[0] == '_' && error == std::errc() && end == layer.data() + layer.size();
  return whole && number > 0 ? number : -1;
}

struct Order {
  std::vector<std::string> convs, norms;
};

// Our layers in TensorFlow's order of creation; empty if the wanted tensors are not a ResNet.
Order creation_order(std::span<const Wanted> wanted) {
  std::set<std::string> layers;
  std::set<std::pair<int, int>> blocks;
  for (const Wanted& want : wanted) {
    layers.insert(want.name.substr(0, want.name.rfind('.')));
    int stage = 0, block = 0, length = 0;
    if (std::sscanf(want.name.c_str(), "layer%4d.%4d.%n", &stage, &block, &length) == 2 && length) {
      blocks.insert({stage, block});
    }
  }
  Order order;
  const auto add = [&](std::vector<std::string>& list, const std::string& layer) {
    if (layers.contains(layer)) list.push_back(layer);
  };
  if (blocks.empty()) return order;
  add(order.convs, "conv1");
  add(order.norms, "bn1");
  for (const auto& [stage, block] : blocks) {
    const std::string name = fmt::format("layer{}.{}.", stage, block);
    add(order.convs, name + "downsample.0");
    add(order.norms, name + "downsample.1");
    for (const char* number : {"1", "2", "3"}) {
      add(order.convs, name + "conv" + number);
      add(order.norms, name + "bn" + number);
    }
  }
  add(order.norms, "bn_last");
  return order;
}

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  const Order order = creation_order(wanted);
  Renames renames;
  for (const std::string& name : names) {
    const std::optional<TfVariable> found = tf_variable(name);
    if (!found) continue;
    const auto take = [&](const std::vector<std::string>& layers, int number, bool dense) {
      if (number < 0 || number >= static_cast<int>(layers.size())) return;
      const auto renamed = tf_renamed(layers[static_cast<size_t>(number)], found->variable, dense);
      if (renamed) renames[name] = *renamed;
    };
    take(order.convs, number_of(found->layer, "conv2d"), false);
    take(order.norms, number_of(found->layer, "batch_normalization"), false);
    take({"fc"}, number_of(found->layer, "dense"), true);
  }
  return renames;
}

}  // namespace

WeightRename tf_resnet_weight_rename() { return {.name = "TensorFlow's", .rename = rename}; }

}  // namespace convoy
