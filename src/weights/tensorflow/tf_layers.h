// The layers of TensorFlow's official ResNets, which are numbered in the order of their creation:
// conv2d, conv2d_1, …, batch_normalization, …
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/match.h"

namespace convoy {

// "conv2d" gives 0, "conv2d_7" gives 7, another kind of layer gives -1.
int tf_layer_number(std::string_view layer, std::string_view kind);

// Layers of a ResNet in TensorFlow's order of creation, as torchvision names them.
struct TfOrder {
  std::vector<std::string> convs, norms;

  // The layer that a layer of TensorFlow is; empty: none, or it has a number beyond ours.
  std::string layer_of(std::string_view tf_layer) const;
};

// In a block with a projection, the projection is first (in v1 with its norm), then come the
// convolutions. `params`: the names of the network's parameters; empty result: it is no ResNet.
TfOrder tf_creation_order(std::span<const std::string> params);

}  // namespace convoy
