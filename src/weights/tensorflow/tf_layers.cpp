#include "weights/tensorflow/tf_layers.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdio>
#include <set>
#include <utility>

namespace convoy {

int tf_layer_number(std::string_view layer, std::string_view kind) {
  if (!layer.starts_with(kind)) return -1;
  layer.remove_prefix(kind.size());
  if (layer.empty()) return 0;
  int number = -1;
  const auto [end, error] = std::from_chars(layer.data() + 1, layer.data() + layer.size(), number);
  const bool whole = layer[0] == '_' && error == std::errc() && end == layer.data() + layer.size();
  return whole && number > 0 ? number : -1;
}

std::string TfOrder::layer_of(std::string_view tf_layer) const {
  for (const auto& [kind, layers] :
       {std::pair{"conv2d", &convs}, std::pair{"batch_normalization", &norms}}) {
    const int number = tf_layer_number(tf_layer, kind);
    if (number >= 0 && number < static_cast<int>(layers->size())) {
      return (*layers)[static_cast<size_t>(number)];
    }
  }
  return {};
}

TfOrder tf_creation_order(std::span<const std::string> params) {
  std::set<std::string> layers;
  std::set<std::pair<int, int>> blocks;
  for (const std::string& param : params) {
    layers.insert(param.substr(0, param.rfind('.')));
    int stage = 0, block = 0, length = 0;
    if (std::sscanf(param.c_str(), "layer%4d.%4d.%n", &stage, &block, &length) == 2 && length) {
      blocks.insert({stage, block});
    }
  }
  TfOrder order;
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

}  // namespace convoy
