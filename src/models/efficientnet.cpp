// EfficientNets (Tan 2019): inverted bottlenecks with a depthwise convolution and a gate for each
// channel ("squeeze and excitation"), scaled in width and depth together.
//
//   efficientnet_b0             torchvision's, with its names
//   graphcore_efficientnet_b0   Graphcore's: SAME padding, group norm (4) unless --norm batch
//   …_g16                       Graphcore's with 16 channels per group instead of one, and an
//                               expansion of 4
//   cifar_efficientnet          half as wide, for 32x32 images
//
// Residual branches are dropped for whole samples, deeper ones more often: --block-survival-prob is
// the fraction that the last block keeps.

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/error.h"
#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/dropout.h"
#include "ops/linear.h"
#include "ops/pooling.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

struct Options {
  NormOptions norm;
  DropoutOption dropout;
  double block_survival_prob = -1;      // below 0: the model's default
  int expand_ratio = 0, group_dim = 0;  // 0: the model's default
  bool se = true, use_relu = false;

  void describe(Fields& field) {
    norm.describe(field);
    field("expand-ratio", expand_ratio,
          "how much wider an inverted bottleneck is inside; 0: the model's own", between(0, 64));
    field("group-dim", group_dim,
          "channels in each group of an inverted bottleneck's convolution; 1: depthwise; 0: the "
          "model's own",
          between(0, 1024));
    field("se", se, "gates for channels (squeeze and excitation) in inverted bottlenecks");
    field("use-relu", use_relu, "ReLU where the model has swish");
    dropout.describe(field);
    field("block-survival-prob", block_survival_prob,
          "how often the last residual block of a stochastic-depth net is kept, the others more "
          "often; 1: always; -1: the model's own",
          between(-1, 1).training_only());
  }
};

struct Stage {
  int64_t expansion, kernel, stride, out;
  int blocks;
};
// Of EfficientNet-B0.
constexpr std::array<Stage, 7> stages{{{1, 3, 1, 16, 1},
                                       {6, 3, 2, 24, 2},
                                       {6, 5, 2, 40, 2},
                                       {6, 3, 2, 80, 3},
                                       {6, 5, 1, 112, 3},
                                       {6, 5, 2, 192, 4},
                                       {6, 3, 1, 320, 1}}};

struct Recipe {
  double width = 1, depth = 1;
  double dropout = 0.2;
  int64_t expansion = 6, group_width = 1;
  bool small_images = false;  // no stride in the stem and in stage 2
  Style style = {}, depthwise = {};

  // A multiple of 8, at least 0.9 of the scaled width.
  int64_t channels(int64_t of_b0) const {
    const double wanted = static_cast<double>(of_b0) * width;
    const auto near = std::max<int64_t>(8, static_cast<int64_t>(wanted + 4) / 8 * 8);
    return static_cast<double>(near) < 0.9 * wanted ? near + 8 : near;
  }
  int blocks(const Stage& s) const { return static_cast<int>(std::ceil(depth * s.blocks)); }
};

struct Block {
  int64_t expansion, kernel, stride, out;
  double dropped;  // fraction of samples that skip the block
  int number;
};

// The layers of one network.
struct Layers {
  Builder& b;
  const ModelInput& in;
  const Recipe& r;
  const Options& options;
  Style style;

  Value activated(Value x) const { return options.use_relu ? ops::relu(b, x) : ops::swish(b, x); }
  Value conv_norm(std::string_view name, Value x, const ConvSpec& spec) const {
    const auto scope = b.scope(name);
    return norm(b, "1", conv(b, "0", x, spec, spec.groups > 1 ? r.depthwise : r.style), style);
  }
  Value conv_norm_act(std::string_view name, Value x, const ConvSpec& spec) const {
    return activated(conv_norm(name, x, spec));
  }

  // A 1x1 convolution of a single pixel: a fully connected layer with the weight shape of a
  // convolution.
  Value pointwise(std::string_view name, Value x, int64_t out) const {
    const auto scope = b.scope(name);
    const int64_t own = b.shape(x)[1];
    const Value w = b.param("weight", {out, own, 1, 1}, pointwise_init(r.style, own, out));
    const Value bias = b.param("bias", {out}, {Init::Kind::zeros}, false);
    return ops::linear(b, x, ops::reshape(b, w, {out, own}), bias);
  }
  Value gated(std::string_view name, Value x, int64_t squeezed) const {
    const auto scope = b.scope(name);
    const int64_t n = b.shape(x)[0], c = channels(b, x);
    const Value small = activated(pointwise("fc1", ops::global_avg_pool(b, x), squeezed));
    const Value gate = ops::sigmoid(b, pointwise("fc2", small, c));
    return ops::multiply(b, x, ops::reshape(b, gate, {n, c, 1, 1}));
  }

  Value inverted_bottleneck(Value x, const Block& block) const {
    const auto scope = b.scope("block");
    const int64_t own = channels(b, x), wide = own * block.expansion;
    const int64_t members = options.group_dim ? options.group_dim : r.group_width;
    const int64_t groups = std::max<int64_t>(1, wide / members);
    if (wide % groups != 0) {
      raise(Fault::usage, "--group-dim {}: {} channels are no {} groups; try: a divisor of {}",
            members, wide, groups, wide);
    }
    Value y = x;
    int part = 0;
    const auto next = [&] { return std::to_string(part++); };
    if (block.expansion != 1) y = conv_norm_act(next(), y, {.out = wide, .kernel = 1});
    y = conv_norm_act(
        next(), y, {.out = wide, .kernel = block.kernel, .stride = block.stride, .groups = groups});
    if (options.se) y = gated(next(), y, std::max<int64_t>(1, own / 4));
    y = conv_norm(next(), y, {.out = block.out, .kernel = 1});
    if (block.stride != 1 || own != block.out) return y;
    return ops::add(b,
                    ops::drop_path(b, y, in.key, static_cast<float>(block.dropped),
                                   static_cast<uint64_t>(block.number)),
                    x);
  }
};

Value network(Builder& b, const ModelInput& in, const Recipe& r) {
  const auto options = in.options.read<Options>();
  const Layers layers{b, in, r, options, r.style.with(options.norm)};
  const double survival = options.block_survival_prob < 0 ? 0.8 : options.block_survival_prob;
  if (survival == 0)
    raise(Fault::usage, "--block-survival-prob 0: the last block would never be there; try: 0.8");
  const int64_t expansion = options.expand_ratio ? options.expand_ratio : r.expansion;
  int total = 0, number = 0;
  for (const Stage& s : stages) total += r.blocks(s);

  Value x = layers.conv_norm_act("features.0", in.image,
                                 {.out = r.channels(32), .stride = r.small_images ? 1 : 2});
  for (size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    const int64_t stride = r.small_images && s == 1 ? 1 : stage.stride;
    for (int i = 0; i < r.blocks(stage); ++i, ++number) {
      const auto scope = b.scope(fmt::format("features.{}.{}", s + 1, i));
      x = layers.inverted_bottleneck(x, {.expansion = stage.expansion == 1 ? 1 : expansion,
                                         .kernel = stage.kernel,
                                         .stride = i == 0 ? stride : 1,
                                         .out = r.channels(stage.out),
                                         .dropped = (1 - survival) * number / total,
                                         .number = number});
    }
    b.expose_stage(x);
  }
  x = layers.conv_norm_act("features.8", x, {.out = 4 * r.channels(320), .kernel = 1});
  x = ops::dropout(b, ops::global_avg_pool(b, x), in.key, options.dropout.or_own(r.dropout),
                   static_cast<uint64_t>(total));
  return linear(b, "classifier.1", x, in.classes, r.style);
}

// One variant: its name on the command line, and its recipe.
Variant variant(std::string name, const Recipe& r, float bn_momentum, int image_size) {
  return {std::move(name), [r](Builder& b, const ModelInput& in) { return network(b, in, r); },
          bn_momentum, image_size};
}

struct Size {
  double width, depth, dropout;
  int image;
};
constexpr Size sizes[] = {{1.0, 1.0, 0.2, 224}, {1.0, 1.1, 0.2, 240}, {1.1, 1.2, 0.3, 260},
                          {1.2, 1.4, 0.3, 300}, {1.4, 1.8, 0.4, 380}, {1.6, 2.2, 0.4, 456},
                          {1.8, 2.6, 0.5, 528}, {2.0, 3.1, 0.5, 600}};

Style graphcores() {
  Style style{.same_padding = true,
              .norm = NormKind::group,
              .norm_groups = 4,
              .batch_epsilon = 1e-3f,
              .group_epsilon = 1e-3f};
  style.conv = ConvStart::truncated_2_fan_out;
  style.dense = DenseStart::glorot;
  return style;
}

}  // namespace

ModelDef efficientnet_model() {
  ModelDef def{.family = "efficientnet",
               .help = "EfficientNets: torchvision's, Graphcore's (also grouped), one for CIFAR",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {},
               .describe = describe_options<Options>};
  const auto recipe = [](const Size& s, const Style& style) {
    return Recipe{.width = s.width,
                  .depth = s.depth,
                  .dropout = s.dropout,
                  .style = style,
                  .depthwise = style};
  };
  for (int i = 0; const Size& size : sizes) {
    Style style{.batch_epsilon = i < 5 ? 1e-5f : 1e-3f};
    style.dense = DenseStart::fan_out;
    def.variants.push_back(variant(fmt::format("efficientnet_b{}", i), recipe(size, style),
                                   i < 5 ? 0.1f : 0.01f, size.image));
    ++i;
  }
  for (const bool grouped : {false, true}) {
    for (int i = 0; const Size& size : sizes) {
      Recipe r = recipe(size, graphcores());
      r.depthwise.conv = ConvStart::truncated_2_fan_in;
      if (grouped) {
        r.expansion = 4;
        r.group_width = 16;
      }
      const int number = i++;
      if (grouped && number == 6) continue;  // its 56 stem channels are no multiple of the group
      def.variants.push_back(
          variant(fmt::format("graphcore_efficientnet_b{}{}", number, grouped ? "_g16" : ""), r,
                  0.03f, size.image));
    }
  }
  Recipe cifar = recipe({0.5, 1.0, 0.0, 32}, graphcores());
  cifar.depthwise.conv = ConvStart::truncated_2_fan_in;
  cifar.small_images = true;
  def.variants.push_back(variant("cifar_efficientnet", cifar, 0.03f, 32));
  def.variants.back().classes = 10;
  return def;
}

}  // namespace convoy
