// SqueezeNets (Iandola 2016) as in torchvision: fire modules squeeze with 1x1 and expand with 1x1
// and 3x3 side by side; no norm, biases everywhere, a convolution as the head.
//
//   squeezenet1_0_caffe   as published: the head's convolution is padded by a pixel, and the
//                         padded positions (only the bias) are part of the mean

#include <fmt/core.h>

#include <cmath>

#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/bias.h"
#include "ops/elementwise/dropout.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

// A layer of `features`: a pool, or a fire module with `squeeze` channels and twice `expand`
// channels. A layer's index is part of its parameter names.
struct Layer {
  int64_t squeeze = 0, expand = 0;  // 0: a pool
};
struct Recipe {
  int64_t stem, stem_kernel;
  std::vector<Layer> layers;  // from features.2 on
  int64_t head_padding = 0;
};

Style style() { return {.conv = ConvStart::kaiming_uniform}; }

Value conv_relu(Builder& b, std::string_view name, Value x, const ConvSpec& spec) {
  return ops::relu(b, conv(b, name, x, spec, style()));
}

// "Ceil mode": a window that begins inside the image is used even if it ends outside.
Value pool(Builder& b, Value x) {
  const auto missing = [](int64_t size) { return size < 3 ? 3 - size : (size - 3) % 2; };
  return ops::max_pool(
      b, x,
      {.size = 3, .stride = 2, .padding = {0, 0, missing(b.shape(x)[2]), missing(b.shape(x)[3])}});
}

// The stem is not padded.
Value stem(Builder& b, Value image, const Recipe& r) {
  const auto scope = b.scope("features.0");
  const int64_t in = channels(b, image), window = r.stem_kernel * r.stem_kernel;
  const Value w = b.param("weight", {r.stem, in, r.stem_kernel, r.stem_kernel},
                          {Init::Kind::uniform, std::sqrt(6 / static_cast<float>(in * window))});
  const Value y = ops::convolution(b, image, w, {.stride = 2});
  return ops::relu(b, ops::add_bias(b, y, b.param("bias", {r.stem}, {Init::Kind::zeros}, false)));
}

Value head(Builder& b, const ModelInput& in, const Recipe& r, Value x) {
  const auto scope = b.scope("classifier.1");
  const Value w =
      b.param("weight", {in.classes, channels(b, x), 1, 1}, {Init::Kind::normal, 0.01f});
  const Value bias = b.param("bias", {in.classes}, {Init::Kind::zeros}, false);
  // Padded separately, since oneDNN has only reference code for padded 1x1 windows.
  if (r.head_padding) x = ops::pad(b, x, ops::Padding::all(r.head_padding));
  x = ops::convolution(b, x, w, {});
  x = ops::relu(b, ops::add_bias(b, x, bias));
  return ops::global_avg_pool(b, x);
}

Value network(Builder& b, const ModelInput& in, const Recipe& r) {
  Value x = stem(b, in.image, r);
  for (size_t i = 0; i < r.layers.size(); ++i) {
    const Layer& layer = r.layers[i];
    if (layer.squeeze == 0) {
      b.expose_stage(x);
      x = pool(b, x);
      continue;
    }
    const auto scope = b.scope(fmt::format("features.{}", i + 2));
    const Value s = conv_relu(b, "squeeze", x, {.out = layer.squeeze, .kernel = 1, .bias = true});
    x = ops::concat(b,
                    {conv_relu(b, "expand1x1", s, {.out = layer.expand, .kernel = 1, .bias = true}),
                     conv_relu(b, "expand3x3", s, {.out = layer.expand, .bias = true})});
  }
  b.expose_stage(x);
  const float rate = in.options.read<DropoutOption>().or_own(0.5);
  return head(b, in, r, ops::dropout(b, x, in.key, rate, 0));
}

Variant variant(std::string name, Recipe r) {
  return {std::move(name), [r](Builder& b, const ModelInput& in) { return network(b, in, r); }};
}

}  // namespace

ModelDef squeezenet_model() {
  const Layer pooled{}, a{16, 64}, c{32, 128}, d{48, 192}, e{64, 256};
  return {.family = "squeezenet",
          .help = "SqueezeNet 1.0 (torchvision's, Caffe's) and 1.1: small nets without norms",
          .image_size = 224,
          .channels = 3,
          .classes = 1000,
          .variants = {variant("squeezenet1_0",
                               {96, 7, {pooled, a, a, c, pooled, c, d, d, e, pooled, e}}),
                       variant("squeezenet1_0_caffe",
                               {96, 7, {pooled, a, a, c, pooled, c, d, d, e, pooled, e}, 1}),
                       variant("squeezenet1_1",
                               {64, 3, {pooled, a, a, pooled, c, c, pooled, d, d, e, e}})},
          .describe = describe_options<DropoutOption>};
}

}  // namespace convoy
