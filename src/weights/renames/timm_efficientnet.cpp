// Translates timm's EfficientNets to torchvision's names. A block without expansion has no
// conv_pwl, and its other parts have numbers one lower.

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "weights/match.h"

namespace convoy {
namespace {

struct Part {
  std::string_view timm, torchvision;
};
constexpr Part expanded[] = {{"conv_pw", "0.0"},          {"bn1", "0.1"},
                             {"conv_dw", "1.0"},          {"bn2", "1.1"},
                             {"se.conv_reduce", "2.fc1"}, {"se.conv_expand", "2.fc2"},
                             {"conv_pwl", "3.0"},         {"bn3", "3.1"}};
constexpr Part plain[] = {{"conv_dw", "0.0"},          {"bn1", "0.1"},
                          {"se.conv_reduce", "1.fc1"}, {"se.conv_expand", "1.fc2"},
                          {"conv_pw", "2.0"},          {"bn2", "2.1"}};

// The parts of "blocks.3.1.se.conv_reduce.weight".
struct BlockName {
  int stage, block;
  std::string part, kind;
};
std::optional<BlockName> block_name(const std::string& name) {
  const std::vector<std::string> words = split(name, '.');
  const auto is_index = [](const std::string& word) { return word.size() < 4 && is_number(word); };
  if (words.size() < 5 || words[0] != "blocks" || !is_index(words[1]) || !is_index(words[2])) {
    return std::nullopt;
  }
  return BlockName{std::stoi(words[1]), std::stoi(words[2]),
                   join({words.begin() + 3, words.end() - 1}, "."), words.back()};
}

Renames rename(std::span<const std::string> names, std::span<const Wanted>) {
  std::set<std::pair<int, int>> with_expansion;
  int last_stage = -1;
  for (const std::string& name : names) {
    const auto block = block_name(name);
    if (!block) continue;
    last_stage = std::max(last_stage, block->stage);
    if (block->part == "conv_pwl") with_expansion.insert({block->stage, block->block});
  }
  if (last_stage < 0) return {};

  Renames renames;
  for (const std::string& name : names) {
    if (const auto block = block_name(name)) {
      const bool expands = with_expansion.contains({block->stage, block->block});
      const std::span<const Part> parts = expands ? std::span<const Part>(expanded) : plain;
      for (const Part& part : parts) {
        if (part.timm != block->part) continue;
        renames[name] = {fmt::format("features.{}.{}.block.{}.{}", block->stage + 1, block->block,
                                     part.torchvision, block->kind)};
      }
      continue;
    }
    const size_t dot = name.rfind('.');
    if (dot == name.npos) continue;
    const std::string layer = name.substr(0, dot), kind = name.substr(dot);
    if (layer == "conv_stem") renames[name] = {"features.0.0" + kind};
    if (layer == "bn1") renames[name] = {"features.0.1" + kind};
    if (layer == "conv_head")
      renames[name] = {fmt::format("features.{}.0{}", last_stage + 2, kind)};
    if (layer == "bn2") renames[name] = {fmt::format("features.{}.1{}", last_stage + 2, kind)};
    if (layer == "classifier") renames[name] = {"classifier.1" + kind};
  }
  return renames;
}

}  // namespace

WeightRename timm_efficientnet_weight_rename() { return {.name = "timm's", .rename = rename}; }

}  // namespace convoy
