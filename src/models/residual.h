// ResNets and ResNeXts for photographs: a 7x7 stem and a pool, four stages whose images halve and
// whose channels double, global pooling, a dense head. The forms differ in small things, and each
// of those decides whether a weight file fits.
#pragma once

#include <array>

#include "models/blocks.h"
#include "models/model.h"

namespace convoy {

struct ResidualForm {
  std::array<int, 4> blocks;
  bool bottleneck;
  // Inside a bottleneck: groups * group_width channels for 64 planes; 32x4d is 32 and 4.
  int64_t groups = 1, group_width = 64;

  // Where a stage halves the image: in the first 1x1 of its first block, in the 3x3 of that (basic
  // blocks: the first one), or in the 3x3 of its last block, stages 1 to 3.
  enum class Halves { first_1x1, first_3x3, last_3x3 } halves = Halves::first_3x3;
  // Norm and ReLU before each convolution, a plain sum at the end.
  bool pre_activation = false;
  // A projection at the start of every stage, and not only where shapes differ.
  bool always_projects = false;
  // Of convolutions: none; all; or the stem, the last of a block and the projection.
  enum class Biases { none, all, some } biases = Biases::none;
  // What the stem's pool sees outside the image: nothing, or zeros.
  bool zeros_around_pool = false;
  // The stem's convolution pads by 3 on every side, though the style says SAME.
  bool even_stem = false;
  // Bottlenecks without a projection start with a last gamma of zero.
  bool zero_gammas = false;
  Style style = {};
};

struct ResidualOptions {
  NormOptions norm;
  ZeroGammaOption zero_gamma;
  int stem_channels = 0;  // 0: the image's

  void describe(Fields& field);
};

Value residual_network(Builder& b, const ModelInput& in, const ResidualForm& form);

// A row of a family's table.
Variant residual_variant(std::string name, const ResidualForm& form, float bn_momentum = 0.1f);

// The usual depths: 18, 34 basic; 50, 101, 152, 200 bottlenecks; 10, 14, 26 small ones.
struct ResidualDepth {
  int layers;
  std::array<int, 4> blocks;
  bool bottleneck;
};
inline constexpr ResidualDepth residual_depths[] = {
    {10, {1, 1, 1, 1}, false},  {14, {1, 1, 1, 1}, true},   {18, {2, 2, 2, 2}, false},
    {26, {2, 2, 2, 2}, true},   {34, {3, 4, 6, 3}, false},  {50, {3, 4, 6, 3}, true},
    {101, {3, 4, 23, 3}, true}, {152, {3, 8, 36, 3}, true}, {200, {3, 24, 36, 3}, true}};

}  // namespace convoy
