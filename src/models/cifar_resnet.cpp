// ResNets for small images (He 2015, section 4.2). Basic blocks: depth 6n+2, channels 16 32 64;
// where the image halves, the shortcut is a parameter-free sub-sampling filled up with zero
// channels (option A), or a projection. Bottlenecks: depth 9n+2, four times as many channels
// outside as inside, a projection at the start of every stage, the stride in the 3x3.

#include <fmt/core.h>

#include "models/blocks.h"
#include "models/model.h"
#include "ops/activation.h"
#include "ops/arithmetic.h"
#include "ops/pooling.h"
#include "ops/shortcut.h"

namespace convoy {
namespace {

enum class Shortcut { subsample, projection };

struct Recipe {
  int blocks;  // in each of the three stages
  bool bottleneck = false;
  Shortcut shortcut = Shortcut::subsample;
  int64_t width = 16;  // inner channels of the first stage
};

Value conv_bn(Builder& b, const char* conv_name, const char* bn_name, Value x, const ConvSpec& spec,
              Gamma gamma = Gamma::one) {
  return batch_norm(b, bn_name, conv(b, conv_name, x, spec), gamma);
}

Value conv_bn_relu(Builder& b, const char* conv_name, const char* bn_name, Value x,
                   const ConvSpec& spec) {
  return ops::relu(b, conv_bn(b, conv_name, bn_name, x, spec));
}

Value shortcut(Builder& b, Value x, const Recipe& r, int64_t out, int64_t stride, bool first) {
  const bool same_shape = stride == 1 && channels(b, x) == out;
  if (r.bottleneck ? !first : same_shape) return x;
  if (r.bottleneck || r.shortcut == Shortcut::projection) {
    return conv_bn(b, "downsample.0", "downsample.1", x,
                   {.out = out, .kernel = 1, .stride = stride});
  }
  return ops::subsample_shortcut(b, x, out, stride);
}

Value residual(Builder& b, Value x, const Recipe& r, int64_t width, int64_t stride, bool first,
               Gamma last) {
  Value y = x;
  int64_t out = width;
  if (r.bottleneck) {
    out = 4 * width;
    y = conv_bn_relu(b, "conv1", "bn1", y, {.out = width, .kernel = 1});
    y = conv_bn_relu(b, "conv2", "bn2", y, {.out = width, .stride = stride});
    y = conv_bn(b, "conv3", "bn3", y, {.out = out, .kernel = 1}, last);
  } else {
    y = conv_bn_relu(b, "conv1", "bn1", y, {.out = width, .stride = stride});
    y = conv_bn(b, "conv2", "bn2", y, {.out = width}, last);
  }
  return ops::relu(b, ops::add(b, y, shortcut(b, x, r, out, stride, first)));
}

Value network(Builder& b, const ModelInput& in, const Recipe& r) {
  const Gamma last = in.zero_init_residual ? Gamma::zero : Gamma::one;
  Value x = conv_bn_relu(b, "conv1", "bn1", in.image, {.out = r.width});
  for (int stage = 0; stage < 3; ++stage) {
    for (int block = 0; block < r.blocks; ++block) {
      const auto scope = b.scope(fmt::format("layer{}.{}", stage + 1, block));
      const bool halves = stage > 0 && block == 0;
      x = residual(b, x, r, r.width << stage, halves ? 2 : 1, block == 0, last);
    }
  }
  return linear(b, "fc", ops::global_avg_pool(b, x), in.classes);
}

// A variant is one row: its name on the command line, and its recipe.
Variant variant(std::string name, Recipe r) {
  return {std::move(name), [r](Builder& b, const ModelInput& in) { return network(b, in, r); }};
}

}  // namespace

ModelDef cifar_resnet_model() {
  ModelDef def{.family = "cifar_resnet",
               .help = "ResNets for 32x32 images: basic blocks, bottlenecks, wide bottlenecks",
               .image_size = 32,
               .channels = 3,
               .classes = 10,
               .variants = {}};
  for (const int n : {1, 2, 3, 5, 7, 9, 18}) {
    const std::string name = fmt::format("cifar_resnet{}", 6 * n + 2);
    def.variants.push_back(variant(name, {.blocks = n}));
    def.variants.push_back(
        variant(name + "_projection", {.blocks = n, .shortcut = Shortcut::projection}));
  }
  for (const int n : {1, 3, 4, 5, 6, 7}) {
    const std::string name = fmt::format("cifar_resnet{}_bottleneck", 9 * n + 2);
    def.variants.push_back(variant(name, {.blocks = n, .bottleneck = true}));
    def.variants.push_back(variant(name + "_wide", {.blocks = n, .bottleneck = true, .width = 64}));
  }
  return def;
}

}  // namespace convoy
