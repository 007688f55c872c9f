#include "weights/ssd_names.h"

#include <array>
#include <utility>

namespace convoy {
namespace {

// Of a ResNet, of an SSD.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> prefixes{
    {{"conv1.", "model.layer1.0."},
     {"bn1.", "model.layer1.1."},
     {"layer1.", "model.layer1.4."},
     {"layer2.", "model.layer1.5."},
     {"layer3.", "model.layer2.0."}}};

std::string with_prefix(std::string_view prefix, std::string_view name, size_t without) {
  return std::string(prefix) + std::string(name.substr(without));
}

}  // namespace

std::string ssd_trunk_name(std::string_view resnets) {
  for (const auto& [from, to] : prefixes) {
    if (resnets.starts_with(from)) return with_prefix(to, resnets, from.size());
  }
  return {};
}

std::string resnet_name(std::string_view ssds) {
  for (const auto& [to, from] : prefixes) {
    if (ssds.starts_with(from)) return with_prefix(to, ssds, from.size());
  }
  return {};
}

std::vector<std::string> ssd_trunk(std::span<const Wanted> wanted) {
  std::vector<std::string> trunk;
  for (const Wanted& want : wanted) {
    if (std::string name = resnet_name(want.name); !name.empty()) trunk.push_back(std::move(name));
  }
  return trunk;
}

}  // namespace convoy
