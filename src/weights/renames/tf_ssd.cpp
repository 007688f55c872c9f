// SSDs that Habana's TensorFlow program trained (resnet34/conv2d_7/kernel, ssd/block7-conv1x1/…,
// ssd/class_net/class-3/…, ssd/box_net/box-3/…). Their heads have a channel for each number of each
// shape, ours for each shape of each number; and their codes are ty, tx, th, tw, ours tx, ty, tw,
// th.

#include <fmt/core.h>

#include <cstdio>

#include "weights/ssd_names.h"
#include "weights/tensorflow/tf_layers.h"
#include "weights/tensorflow/tf_names.h"

namespace convoy {
namespace {

constexpr int first_head = 3, first_block = 7;
constexpr int64_t code_numbers = 4;

int64_t channels_of(std::string_view name, std::span<const Wanted> wanted) {
  for (const Wanted& want : wanted) {
    if (want.name == name) return want.shape[0];
  }
  return 0;
}

// Where our channels are in their head.
std::vector<int64_t> head_order(int64_t channels, int64_t shapes, bool codes) {
  std::vector<int64_t> order;
  const int64_t columns = channels / shapes;
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t theirs = codes ? column ^ 1 : column;
    for (int64_t shape = 0; shape < shapes; ++shape) order.push_back(shape * columns + theirs);
  }
  return order;
}

// Empty: not a layer of the extra ones or the heads.
std::optional<Renamed> renamed_head(const TfVariable& found, std::span<const Wanted> wanted) {
  const char* layer = found.layer.c_str();
  int number = 0, kernel = 0, length = 0;
  const auto all = [&] { return length == static_cast<int>(found.layer.size()); };
  if (std::sscanf(layer, "block%2d-conv%1dx%*1d%n", &number, &kernel, &length) == 2 && all()) {
    const std::string ours =
        fmt::format("additional_blocks.{}.{}", number - first_block, kernel == 1 ? 0 : 2);
    return tf_renamed(ours, found.variable, false);
  }
  const bool codes = std::sscanf(layer, "box-%2d%n", &number, &length) == 1 && all();
  if (!codes && (std::sscanf(layer, "class-%2d%n", &number, &length) != 1 || !all())) return {};
  const int map = number - first_head;
  auto renamed =
      tf_renamed(fmt::format("{}.{}", codes ? "loc" : "conf", map), found.variable, false);
  const int64_t shapes = channels_of(fmt::format("loc.{}.bias", map), wanted) / code_numbers;
  if (!renamed || shapes == 0) return {};
  const int64_t channels = channels_of(renamed->name, wanted);
  renamed->out_order = head_order(channels, shapes, codes);
  return renamed;
}

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  const TfOrder order = tf_creation_order(ssd_trunk(wanted));
  Renames renames;
  bool heads = false;
  for (const std::string& name : names) {
    const std::optional<TfVariable> found = tf_variable(name);
    if (!found) continue;
    std::optional<Renamed> renamed = renamed_head(*found, wanted);
    heads = heads || renamed;
    if (const std::string layer = order.layer_of(found->layer); !renamed && !layer.empty()) {
      renamed = tf_renamed(layer, found->variable, false);
      if (renamed) renamed->name = ssd_trunk_name(renamed->name);
    }
    if (renamed) renames[name] = *renamed;
  }
  return heads ? renames : Renames{};
}

}  // namespace

WeightRename tf_ssd_weight_rename() { return {.name = "TensorFlow's SSD", .rename = rename}; }

}  // namespace convoy
