// Translates the decoded SqueezeNet of "Deep Compression" (fire2/conv1x1_1.weight …) to
// torchvision's squeezenet1_0, which numbers all layers including pools.

#include <fmt/core.h>

#include <array>

#include "weights/match.h"

namespace convoy {
namespace {

Renames rename(std::span<const std::string> names, std::span<const Wanted>) {
  constexpr std::array<int, 8> place{3, 4, 5, 7, 8, 9, 10, 12};  // indices of fire2 to fire9
  Renames renames;
  bool fires = false;
  for (const std::string& name : names) {
    const size_t dot = name.rfind('.');
    if (dot == name.npos) continue;
    const std::string layer = name.substr(0, dot), kind = name.substr(dot);
    if (layer == "conv1") renames[name] = {"features.0" + kind};
    if (layer == "conv_final") renames[name] = {"classifier.1" + kind};
    if (layer.size() < 7 || !layer.starts_with("fire") || layer[5] != '/') continue;
    if (layer[4] < '2' || layer[4] > '9') continue;
    const std::string part = layer.substr(6);
    const char* ours = part == "conv1x1_1"   ? "squeeze"
                       : part == "conv1x1_2" ? "expand1x1"
                       : part == "conv3x3_2" ? "expand3x3"
                                             : nullptr;
    if (!ours) continue;
    fires = true;
    renames[name] = {
        fmt::format("features.{}.{}{}", place[static_cast<size_t>(layer[4] - '2')], ours, kind)};
  }
  return fires ? renames : Renames{};
}

}  // namespace

WeightRename squeezenet_weight_rename() { return {.name = "Caffe SqueezeNet's", .rename = rename}; }

}  // namespace convoy
