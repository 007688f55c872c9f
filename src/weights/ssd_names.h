// The trunk of MLPerf's PyTorch SSD, whose names our SSD networks have, is a ResNet as torchvision
// has it, cut after its third stage and wrapped: layer1.0.conv1.weight is
// model.layer1.4.0.conv1.weight.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/match.h"

namespace convoy {

// The name in an SSD of a ResNet's parameter, and the other way round. Empty: not in the trunk.
std::string ssd_trunk_name(std::string_view resnets);
std::string resnet_name(std::string_view ssds);

// The tensors of the trunk among the wanted ones, with the names of a ResNet; empty: it is no SSD.
std::vector<std::string> ssd_trunk(std::span<const Wanted> wanted);

}  // namespace convoy
