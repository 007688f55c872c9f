// Idelbayev's CIFAR ResNets (akamaster/pytorch_resnet_cifar10): ours, but for the name of the head.

#include "weights/match.h"

namespace convoy {
namespace {

Renames rename(std::span<const std::string> names, std::span<const Wanted>) {
  Renames renames;
  for (const std::string& name : names) {
    if (name == "linear.weight" || name == "linear.bias") renames[name] = {"fc" + name.substr(6)};
  }
  return renames;
}

}  // namespace

WeightRename akamaster_weight_rename() { return {.name = "akamaster's", .rename = rename}; }

}  // namespace convoy
