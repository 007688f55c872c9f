// ResNets for photographs (He 2015, 2016; Zagoruyko 2016). A 7x7 stem and a pool, four stages whose
// images halve and whose channels double, global pooling, a dense head.
//
//   resnet50      torchvision's ("v1.5"): the stride of a bottleneck in its 3x3
//   resnet50_v1   the first paper's: the stride in the first 1x1. Basic blocks have no such choice;
//                 resnet18_v1 differs from resnet18 by a projection at the start of stage 1 too
//   resnet50_v2   pre-activation: norm and ReLU before each convolution, a plain sum at the end

#include <fmt/core.h>

#include <array>

#include "base/error.h"
#include "models/blocks.h"
#include "models/model.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/pooling.h"

namespace convoy {
namespace {

enum class Version { v1, v1_5, v2 };

struct Recipe {
  std::array<int, 4> blocks;
  bool bottleneck;
  Version version = Version::v1_5;
  int64_t inner_width = 1;  // times as many channels inside a bottleneck
};

// One residual block: what its convolutions are, whatever the norm's place.
struct Block {
  const Recipe& recipe;
  int64_t planes;  // 64, 128, 256, 512
  int64_t stride;
  bool first;  // of its stage

  int64_t out() const { return recipe.bottleneck ? 4 * planes : planes; }
  std::vector<ConvSpec> convs() const {
    if (!recipe.bottleneck) return {{.out = planes, .stride = stride}, {.out = planes}};
    const int64_t inner = planes * recipe.inner_width;
    const bool early = recipe.version == Version::v1;
    return {{.out = inner, .kernel = 1, .stride = early ? stride : 1},
            {.out = inner, .stride = early ? 1 : stride},
            {.out = out(), .kernel = 1}};
  }
  // torchvision projects where shapes differ, the others at the start of every stage.
  bool projects(int64_t in) const {
    if (recipe.version == Version::v1_5) return stride != 1 || in != out();
    return first;
  }
  ConvSpec projection() const { return {.out = out(), .kernel = 1, .stride = stride}; }
};

std::string conv_name(size_t i) { return fmt::format("conv{}", i + 1); }
std::string bn_name(size_t i) { return fmt::format("bn{}", i + 1); }

Value post_activation(Builder& b, Value x, const Block& block, bool zero_gamma) {
  const std::vector<ConvSpec> convs = block.convs();
  Value y = x;
  for (size_t i = 0; i < convs.size(); ++i) {
    const bool last = i + 1 == convs.size();
    const Gamma gamma = last && zero_gamma ? Gamma::zero : Gamma::one;
    y = batch_norm(b, bn_name(i), conv(b, conv_name(i), y, convs[i]), gamma);
    if (!last) y = ops::relu(b, y);
  }
  Value shortcut = x;
  if (block.projects(channels(b, x))) {
    shortcut = batch_norm(b, "downsample.1", conv(b, "downsample.0", x, block.projection()));
  }
  return ops::relu(b, ops::add(b, y, shortcut));
}

// The projection reads the activated input and has no norm of its own.
Value pre_activation(Builder& b, Value x, const Block& block) {
  const std::vector<ConvSpec> convs = block.convs();
  Value y = x, shortcut = x;
  for (size_t i = 0; i < convs.size(); ++i) {
    y = ops::relu(b, batch_norm(b, bn_name(i), y));
    if (i == 0 && block.projects(channels(b, x))) {
      shortcut = conv(b, "downsample.0", y, block.projection());
    }
    y = conv(b, conv_name(i), y, convs[i]);
  }
  return ops::add(b, y, shortcut);
}

Value network(Builder& b, const ModelInput& in, const Recipe& r) {
  const bool pre = r.version == Version::v2;
  if (pre && in.zero_init_residual) {
    raise(Fault::usage,
          "--zero-init-residual: blocks of a pre-activation ResNet end without a norm; try: "
          "--no-zero-init-residual, or a model without _v2");
  }
  Value x = conv(b, "conv1", in.image, {.out = 64, .kernel = 7, .stride = 2});
  if (!pre) x = ops::relu(b, batch_norm(b, "bn1", x));
  x = ops::max_pool(b, x, {.size = 3, .stride = 2, .padding = ops::Padding::all(1)});
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < r.blocks[static_cast<size_t>(stage)]; ++i) {
      const auto scope = b.scope(fmt::format("layer{}.{}", stage + 1, i));
      const bool first = i == 0;
      const Block block{r, int64_t{64} << stage, first && stage > 0 ? 2 : 1, first};
      x = pre ? pre_activation(b, x, block) : post_activation(b, x, block, in.zero_init_residual);
    }
  }
  if (pre) x = ops::relu(b, batch_norm(b, "bn_last", x));
  return linear(b, "fc", ops::global_avg_pool(b, x), in.classes);
}

// A variant is one row: its name on the command line, and its recipe.
Variant variant(std::string name, Recipe r) {
  return {std::move(name), [r](Builder& b, const ModelInput& in) { return network(b, in, r); }};
}

}  // namespace

ModelDef resnet_model() {
  ModelDef def{.family = "resnet",
               .help =
                   "ResNets for photographs: torchvision's, the first (v1), pre-activation "
                   "(v2), wide ones",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {}};
  struct Depth {
    int layers;
    Recipe recipe;
  };
  const Depth depths[] = {{18, {{2, 2, 2, 2}, false}},  {34, {{3, 4, 6, 3}, false}},
                          {50, {{3, 4, 6, 3}, true}},   {101, {{3, 4, 23, 3}, true}},
                          {152, {{3, 8, 36, 3}, true}}, {200, {{3, 24, 36, 3}, true}}};
  struct Form {
    Version version;
    const char* suffix;
  };
  for (const Form& form : {Form{Version::v1_5, ""}, {Version::v1, "_v1"}, {Version::v2, "_v2"}}) {
    for (const Depth& depth : depths) {
      Recipe recipe = depth.recipe;
      recipe.version = form.version;
      def.variants.push_back(variant(fmt::format("resnet{}{}", depth.layers, form.suffix), recipe));
    }
  }
  def.variants.push_back(variant("wide_resnet50_2", {{3, 4, 6, 3}, true, Version::v1_5, 2}));
  def.variants.push_back(variant("wide_resnet101_2", {{3, 4, 23, 3}, true, Version::v1_5, 2}));
  return def;
}

}  // namespace convoy
