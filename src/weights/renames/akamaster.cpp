// Idelbayev's CIFAR ResNets (akamaster/pytorch_resnet_cifar10) and similar ones. The head is named
// "linear", and there are projection shortcuts. Their parameter-free shortcut pads half of the new
// zero channels before and half after the existing ones; ours pads all after. The networks are
// equal up to the order of channels in each stage, so the weights are permuted to our order.

#include <fmt/core.h>

#include <array>
#include <cstdio>

#include "weights/match.h"

namespace convoy {
namespace {

int64_t width_of(int stage, std::span<const Wanted> wanted) {
  const std::string name = fmt::format("layer{}.0.conv2.weight", stage);
  for (const Wanted& want : wanted) {
    if (want.name == name) return want.shape[0];
  }
  return 0;
}

// For each stage, the position of each of our channels in their order; empty for the first stage,
// where the order is the same.
using Orders = std::array<std::vector<int64_t>, 4>;
Orders channel_orders(std::span<const Wanted> wanted) {
  Orders orders;
  std::vector<int64_t> before;
  for (int stage = 1; stage <= 3; ++stage) {
    const int64_t in = static_cast<int64_t>(before.size()), out = width_of(stage, wanted);
    if (out < in || out == 0) return {};
    std::vector<int64_t> order;
    const int64_t front = stage == 1 ? 0 : (out - in) / 2;
    for (const int64_t channel : before) order.push_back(front + channel);
    for (int64_t i = 0; i < out; ++i) {
      if (i < front || i >= front + in) order.push_back(i);
    }
    orders[static_cast<size_t>(stage)] = before = order;
  }
  return orders;
}

// Permutes the channels of a tensor, for example "layer2.1.conv1.weight".
void put_in_order(Renamed& tensor, const Orders& orders) {
  int stage = 0, block = 0, length = 0;
  const int found = std::sscanf(tensor.name.c_str(), "layer%1d.%4d.%n", &stage, &block, &length);
  if (tensor.name == "fc.weight") tensor.in_order = orders[3];
  if (found != 2 || !length || stage < 1 || stage > 3) return;
  const std::string part = tensor.name.substr(static_cast<size_t>(length));
  const auto s = static_cast<size_t>(stage);
  if (part.starts_with("conv1.") && (block > 0 || stage > 1)) {
    tensor.in_order = orders[block == 0 ? s - 1 : s];
  }
  if (part.starts_with("conv2.") || part.starts_with("bn2.")) tensor.out_order = orders[s];
}

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  constexpr std::string_view theirs = ".shortcut.";
  Renames renames;
  bool linear = false, projects = false;
  for (const std::string& name : names) {
    Renamed ours{name};
    if (name == "linear.weight" || name == "linear.bias") {
      linear = true;
      ours.name = "fc" + name.substr(6);
    }
    if (const size_t at = name.find(theirs); at != name.npos) {
      projects = true;
      ours.name = name.substr(0, at) + ".downsample." + name.substr(at + theirs.size());
    }
    renames[name] = ours;
  }
  if (!linear) return {};
  if (projects) return renames;
  const Orders orders = channel_orders(wanted);
  std::map<std::string_view, Shape> shapes;
  for (const Wanted& want : wanted) shapes[want.name] = want.shape;
  for (auto& [name, ours] : renames) {
    put_in_order(ours, orders);
    // Bottleneck blocks have no such shortcut, so their channel order is unknown.
    const Shape shape = shapes[ours.name];
    const auto fits = [&](const std::vector<int64_t>& order, int dim) {
      return order.empty() ||
             (shape.rank() > dim && shape[dim] == static_cast<int64_t>(order.size()));
    };
    if (!fits(ours.out_order, 0) || !fits(ours.in_order, 1)) return {};
  }
  return renames;
}

// The author's files are for CIFAR-10, and his script normalises with ImageNet's mean and std.
// Networks with projections or of another width come from other authors, who use CIFAR's.
KnownOptions trained_with(const std::map<std::string, Shape>& tensors) {
  const auto is = [&](const std::string& name, const Shape& shape) {
    const auto found = tensors.find(name);
    return found != tensors.end() && found->second == shape;
  };
  if (!is("linear.weight", {10, 64}) || !is("conv1.weight", {16, 3, 3, 3}) ||
      !is("layer3.0.conv2.weight", {64, 64, 3, 3})) {
    return {};
  }
  int blocks = 0;
  for (const auto& [name, shape] : tensors) {
    if (name.find(".shortcut.") != name.npos || name.starts_with("layer4.")) return {};
    blocks += name.starts_with("layer1.") && name.ends_with(".conv1.weight");
  }
  return {{"model", fmt::format("cifar_resnet{}", 6 * blocks + 2)},
          {"num-classes", "10"},
          {"dataset", "cifar-10"},
          {"mean", "0.485,0.456,0.406"},
          {"std", "0.229,0.224,0.225"}};
}

}  // namespace

WeightRename akamaster_weight_rename() {
  return {.name = "akamaster's", .rename = rename, .trained_with = trained_with};
}

}  // namespace convoy
