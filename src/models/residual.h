// ResNets and ResNeXts for photographs: a 7x7 stem and a pool, four stages that halve the image and
// double the channels, global pooling, a fully connected head. The families differ in small
// details, and each of these decides whether a weight file fits.
#pragma once

#include <array>

#include "models/blocks.h"
#include "models/model.h"

namespace convoy {

struct ResidualForm {
  std::array<int, 4> blocks;
  bool bottleneck;
  // groups * group_width channels inside a bottleneck of 64 planes; 32x4d is 32 and 4.
  int64_t groups = 1, group_width = 64;

  // Where a stage halves the image: in the first 1x1 of its first block, in the 3x3 of its first
  // block (basic blocks: the first 3x3), or, in stages 1 to 3, in the 3x3 of its last block.
  enum class Halves { first_1x1, first_3x3, last_3x3 } halves = Halves::first_3x3;
  // Norm and ReLU before each convolution, and only a sum at the end of a block.
  bool pre_activation = false;
  // A projection at the start of every stage, not only where shapes differ.
  bool always_projects = false;
  // Biases of convolutions: none; all; or the stem, the last one of a block and the projection.
  enum class Biases { none, all, some } biases = Biases::none;
  // The stem's pool pads with zeros instead of ignoring the outside of the image.
  bool zeros_around_pool = false;
  // The stem pads by 3 on every side although the style is SAME.
  bool even_stem = false;
  // The stem's pool pads as TensorFlow's SAME although the style does not.
  bool same_pool = false;
  // In bottlenecks without a projection the last gamma starts at zero.
  bool zero_gammas = false;
  // The channels of the stem and of each stage (of a bottleneck: a quarter of its output's), and
  // the kernel of the stem.
  int64_t stem_planes = 64, stem_kernel = 7;
  std::array<int64_t, 4> planes{64, 128, 256, 512};
  // For trunks of other networks: how many stages there are, and the first of them (from 0) that
  // keeps the size of its input, as all later ones.
  int stages = 4;
  int keeps_size_from = 4;
  // The names of the stem's convolution and norm, and of the stages.
  struct Names {
    const char *conv = "conv1", *norm = "bn1";
    std::array<const char*, 4> stages{"layer1", "layer2", "layer3", "layer4"};
  } names = {};
  Style style = {};
};

struct ResidualOptions {
  NormOptions norm;
  ZeroGammaOption zero_gamma;
  int stem_channels = 0;  // 0: the image's

  void describe(Fields& field);
};

Value residual_network(Builder& b, const ModelInput& in, const ResidualForm& form);

// The stem and the stages, without pooling and head: the last feature map. In every block the last
// gamma starts at zero if `zero_gamma`.
Value residual_trunk(Builder& b, Value image, const ResidualForm& form, bool zero_gamma);

// One variant: a row of a family's table.
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
