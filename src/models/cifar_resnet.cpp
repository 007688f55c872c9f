// ResNets for small images (He 2015, section 4.2). Basic blocks: depth 6n+2, channels 16 32 64;
// where the image halves, the shortcut is a subsampling without parameters, padded with zero
// channels (option A), or a projection. Bottlenecks: depth 9n+2, four times as many channels
// outside as inside, a projection at the start of every stage, the stride in the 3x3. ResNeXts (Xie
// 2017): bottlenecks whose 3x3 has 32 groups, of 4 channels in the first stage. The variants that
// Graphcore trains use TensorFlow's SAME padding and other initial weights.

#include <fmt/core.h>

#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/pooling.h"
#include "ops/shortcut.h"

namespace convoy {
namespace {

struct Options {
  NormOptions norm;
  ZeroGammaOption zero_gamma;

  void describe(Fields& field) {
    norm.describe(field);
    zero_gamma.describe(field);
  }
};

enum class Shortcut { subsample, projection };

struct Recipe {
  int blocks;  // in each of the three stages
  bool bottleneck = false;
  Shortcut shortcut = Shortcut::subsample;
  int64_t width = 16;  // planes of the first stage; a bottleneck has four times as many outputs
  int64_t inner_width = 1;  // channels inside a bottleneck, as a multiple of planes
  int64_t groups = 1;       // of a bottleneck's 3x3
  bool graphcore = false;   // SAME padding, and Graphcore's initial weights
};

// The layers of one network.
struct Layers {
  Builder& b;
  const Recipe& r;
  Style style;

  Value conv_bn(const char* conv_name, const char* bn_name, Value x, const ConvSpec& spec,
                Gamma gamma = Gamma::one) const {
    return norm(b, bn_name, conv(b, conv_name, x, spec, style), style, gamma);
  }
  Value conv_bn_relu(const char* conv_name, const char* bn_name, Value x,
                     const ConvSpec& spec) const {
    return ops::relu(b, conv_bn(conv_name, bn_name, x, spec));
  }

  Value shortcut(Value x, int64_t out, int64_t stride, bool first) const {
    const bool same_shape = stride == 1 && channels(b, x) == out;
    if (r.bottleneck ? !first : same_shape) return x;
    if (r.bottleneck || r.shortcut == Shortcut::projection) {
      return conv_bn("downsample.0", "downsample.1", x,
                     {.out = out, .kernel = 1, .stride = stride});
    }
    return ops::subsample_shortcut(b, x, out, stride);
  }

  Value residual(Value x, int64_t planes, int64_t stride, bool first, Gamma last) const {
    Value y = x;
    int64_t out = planes;
    if (r.bottleneck) {
      const int64_t inner = planes * r.inner_width;
      out = 4 * planes;
      y = conv_bn_relu("conv1", "bn1", y, {.out = inner, .kernel = 1});
      y = conv_bn_relu("conv2", "bn2", y, {.out = inner, .stride = stride, .groups = r.groups});
      y = conv_bn("conv3", "bn3", y, {.out = out, .kernel = 1}, last);
    } else {
      y = conv_bn_relu("conv1", "bn1", y, {.out = planes, .stride = stride});
      y = conv_bn("conv2", "bn2", y, {.out = planes}, last);
    }
    return ops::relu(b, ops::add(b, y, shortcut(x, out, stride, first)));
  }
};

Value network(Builder& b, const ModelInput& in, const Recipe& r) {
  const auto options = in.options.read<Options>();
  const Gamma last = options.zero_gamma.on ? Gamma::zero : Gamma::one;
  Style style{.same_padding = r.graphcore, .norm_groups = 16};
  if (r.graphcore) {
    style.conv = ConvStart::truncated_fan_in;
    style.dense = DenseStart::glorot;
    style.group_epsilon = 1.53e-5f;
  }
  const Layers layers{b, r, style.with(options.norm)};
  Value x = layers.conv_bn_relu("conv1", "bn1", in.image, {.out = r.width});
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < r.blocks; ++block) {
      const auto scope = b.scope(fmt::format("layer{}.{}", stage + 1, block));
      const bool halves = stage > 0 && block == 0;
      x = layers.residual(x, r.width << stage, halves ? 2 : 1, block == 0, last);
    }
    b.expose_stage(x);
  }
  return linear(b, "fc", ops::global_avg_pool(b, x), in.classes, layers.style);
}

// One variant: its name on the command line, and its recipe.
Variant variant(std::string name, Recipe r, float bn_momentum = 0.1f) {
  return {std::move(name), [r](Builder& b, const ModelInput& in) { return network(b, in, r); },
          bn_momentum};
}

}  // namespace

ModelDef cifar_resnet_model() {
  ModelDef def{
      .family = "cifar_resnet",
      .help = "ResNets for 32x32 images: basic blocks, bottlenecks, wide bottlenecks, ResNeXts",
      .image_size = 32,
      .channels = 3,
      .classes = 10,
      .variants = {},
      .describe = describe_options<Options>};
  for (const int n : {1, 2, 3, 5, 7, 9, 18}) {
    const std::string name = fmt::format("cifar_resnet{}", 6 * n + 2);
    def.variants.push_back(variant(name, {.blocks = n}));
    def.variants.push_back(
        variant(name + "_projection", {.blocks = n, .shortcut = Shortcut::projection}));
  }
  // Graphcore's depth 56 is a bottleneck net.
  for (const int n : {1, 2, 3, 5, 7, 18}) {
    const std::string name = fmt::format("graphcore_cifar_resnet{}", 6 * n + 2);
    def.variants.push_back(variant(name, {.blocks = n, .graphcore = true}, 0.03f));
  }
  for (const int n : {1, 3, 4, 5, 6, 7}) {
    const std::string name = fmt::format("cifar_resnet{}_bottleneck", 9 * n + 2);
    def.variants.push_back(variant(name, {.blocks = n, .bottleneck = true}));
    def.variants.push_back(variant(name + "_wide", {.blocks = n, .bottleneck = true, .width = 64}));
    const std::string grouped = fmt::format("cifar_resnext{}", 9 * n + 2);
    def.variants.push_back(
        variant(grouped, {.blocks = n, .bottleneck = true, .inner_width = 8, .groups = 32}));
    def.variants.push_back(
        variant(grouped + "_wide",
                {.blocks = n, .bottleneck = true, .width = 64, .inner_width = 2, .groups = 32}));
  }
  return def;
}

}  // namespace convoy
