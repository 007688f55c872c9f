// ResNets of keras.applications (conv2_block1_0_conv/kernel): stages are numbered from 2, blocks
// from 1, and number 0 is the projection. In V2 networks each norm precedes the convolution with
// the next number, and the first norm of a block is named preact.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "weights/tensorflow/tf_names.h"

namespace convoy {
namespace {

// Our name of a Keras layer; empty: unknown layer.
std::string layer_name(const std::string& layer, bool pre_activation) {
  if (layer == "conv1_conv") return "conv1";
  if (layer == "conv1_bn") return "bn1";
  if (layer == "post_bn") return "bn_last";
  if (layer == "probs" || layer == "predictions") return "fc";
  int stage = 0, block = 0, length = 0;
  if (std::sscanf(layer.c_str(), "conv%4d_block%4d_%n", &stage, &block, &length) != 2 || !length) {
    return "";
  }
  if (stage < 2 || block < 1) return "";
  const std::string part = layer.substr(static_cast<size_t>(length));
  const std::string ours = fmt::format("layer{}.{}.", stage - 1, block - 1);
  if (part == "preact_bn") return ours + "bn1";
  if (part == "0_conv") return ours + "downsample.0";
  if (part == "0_bn") return ours + "downsample.1";
  for (const int number : {1, 2, 3}) {
    if (part == fmt::format("{}_conv", number)) return fmt::format("{}conv{}", ours, number);
    if (part != fmt::format("{}_bn", number)) continue;
    return fmt::format("{}bn{}", ours, number + (pre_activation ? 1 : 0));
  }
  return "";
}

Renames rename(std::span<const std::string> names, std::span<const Wanted>) {
  const bool pre = std::ranges::any_of(
      names, [](const std::string& name) { return name.find("_preact_bn/") != name.npos; });
  Renames renames;
  bool blocks = false;
  for (const std::string& name : names) {
    const std::optional<TfVariable> found = tf_variable(name);
    if (!found) continue;
    const std::string ours = layer_name(found->layer, pre);
    if (ours.empty()) continue;
    if (const auto renamed = tf_renamed(ours, found->variable, ours == "fc")) {
      renames[name] = *renamed;
      blocks = blocks || ours.starts_with("layer");
    }
  }
  return blocks ? renames : Renames{};
}

}  // namespace

WeightRename keras_resnet_weight_rename() { return {.name = "Keras's", .rename = rename}; }

}  // namespace convoy
