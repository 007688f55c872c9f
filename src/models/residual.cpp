#include "models/residual.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/shortcut.h"

namespace convoy {
namespace {

using Halves = ResidualForm::Halves;
using Biases = ResidualForm::Biases;

// One residual block: its convolutions, which are the same for both positions of the norm.
struct Block {
  const ResidualForm& form;
  const Style& style;
  int64_t planes;  // 64, 128, 256, 512
  int64_t stride;
  bool first;  // of its stage

  int64_t out() const { return form.bottleneck ? 4 * planes : planes; }
  std::vector<ConvSpec> convs() const {
    const bool all = form.biases == Biases::all, last = form.biases != Biases::none;
    if (!form.bottleneck) {
      return {{.out = planes, .stride = stride, .bias = all}, {.out = planes, .bias = last}};
    }
    const int64_t inner = planes * form.group_width * form.groups / 64;
    const bool early = form.halves == Halves::first_1x1;
    return {{.out = inner, .kernel = 1, .stride = early ? stride : 1, .bias = all},
            {.out = inner, .stride = early ? 1 : stride, .groups = form.groups, .bias = all},
            {.out = out(), .kernel = 1, .bias = last}};
  }
  bool projects(int64_t in) const {
    return form.always_projects ? first : stride != 1 || in != out();
  }
  ConvSpec projection() const {
    return {.out = out(), .kernel = 1, .stride = stride, .bias = form.biases != Biases::none};
  }
};

std::string conv_name(size_t i) { return fmt::format("conv{}", i + 1); }
std::string bn_name(size_t i) { return fmt::format("bn{}", i + 1); }

Value post_activation(Builder& b, Value x, const Block& block, bool zero_gamma) {
  const std::vector<ConvSpec> convs = block.convs();
  const bool projects = block.projects(channels(b, x));
  const bool starts_zero =
      zero_gamma || (block.form.zero_gammas && block.form.bottleneck && !projects);
  Value y = x;
  for (size_t i = 0; i < convs.size(); ++i) {
    const bool last = i + 1 == convs.size();
    const Gamma gamma = last && starts_zero ? Gamma::zero : Gamma::one;
    y = norm(b, bn_name(i), conv(b, conv_name(i), y, convs[i], block.style), block.style, gamma);
    if (!last) y = ops::relu(b, y);
  }
  Value shortcut = x;
  if (projects) {
    shortcut = norm(b, "downsample.1", conv(b, "downsample.0", x, block.projection(), block.style),
                    block.style);
  }
  return ops::relu(b, ops::add(b, y, shortcut));
}

// The projection reads the activated input and has no norm of its own.
Value pre_activation(Builder& b, Value x, const Block& block) {
  const std::vector<ConvSpec> convs = block.convs();
  Value y = x, shortcut = x;
  for (size_t i = 0; i < convs.size(); ++i) {
    y = ops::relu(b, norm(b, bn_name(i), y, block.style));
    if (i == 0 && block.projects(channels(b, x))) {
      shortcut = conv(b, "downsample.0", y, block.projection(), block.style);
    } else if (i == 0 && block.stride != 1) {
      shortcut = ops::subsample_shortcut(b, x, channels(b, x), block.stride);
    }
    y = conv(b, conv_name(i), y, convs[i], block.style);
  }
  return ops::add(b, y, shortcut);
}

Value stem(Builder& b, Value x, const ResidualForm& form) {
  const Style& style = form.style;
  Style first = style;
  first.same_padding = style.same_padding && !form.even_stem;
  x = conv(b, form.names.conv, x,
           {.out = form.stem_planes,
            .kernel = form.stem_kernel,
            .stride = 2,
            .bias = form.biases != Biases::none},
           first);
  if (!form.pre_activation) x = ops::relu(b, norm(b, form.names.norm, x, style));
  ops::Padding around = form.same_pool ? ops::Padding::like_tensorflow() : style.padding(3);
  if (form.zeros_around_pool) {
    x = ops::pad(b, x, around);
    around = {};
  }
  return ops::max_pool(b, x, {.size = 3, .stride = 2, .padding = around});
}

}  // namespace

void ResidualOptions::describe(Fields& field) {
  norm.describe(field);
  field("stem-channels", stem_channels,
        "channels of the first convolution; the image is filled up with zeros. 0: the image's",
        between(0, 64).after("norm-epsilon"));
  zero_gamma.describe(field);
}

Value residual_network(Builder& b, const ModelInput& in, const ResidualForm& form) {
  const auto options = in.options.read<ResidualOptions>();
  if (form.pre_activation && options.zero_gamma.on) {
    raise(Fault::usage,
          "--zero-init-residual: blocks of a pre-activation ResNet end without a norm; try: "
          "--no-zero-init-residual, or a model without _v2");
  }
  ResidualForm chosen = form;
  chosen.style = form.style.with(options.norm);
  Value image = in.image;
  if (const int wanted = options.stem_channels) {
    if (wanted < channels(b, image)) {
      raise(Fault::usage, "--stem-channels {}: the images have {}; try: at least as many", wanted,
            channels(b, image));
    }
    image = ops::subsample_shortcut(b, image, wanted, 1);
  }
  const Value x = residual_trunk(b, image, chosen, options.zero_gamma.on);
  return linear(b, "fc", ops::global_avg_pool(b, x), in.classes, chosen.style);
}

Value residual_trunk(Builder& b, Value image, const ResidualForm& form, bool zero_gamma) {
  const Style& style = form.style;
  Value x = stem(b, image, form);
  for (int stage = 0; stage < form.stages; ++stage) {
    const auto s = static_cast<size_t>(stage);
    const int count = form.blocks[s];
    for (int i = 0; i < count; ++i) {
      const auto scope = b.scope(fmt::format("{}.{}", form.names.stages[s], i));
      const bool halves =
          form.halves == Halves::last_3x3 ? i + 1 == count && stage < 3 : i == 0 && stage > 0;
      const bool strides = halves && stage < form.keeps_size_from;
      const Block block{form, style, form.planes[s], strides ? 2 : 1, i == 0};
      x = form.pre_activation ? pre_activation(b, x, block)
                              : post_activation(b, x, block, zero_gamma);
    }
    b.expose_stage(x);
  }
  if (form.pre_activation) x = ops::relu(b, norm(b, "bn_last", x, style));
  return x;
}

Variant residual_variant(std::string name, const ResidualForm& form, float bn_momentum) {
  return {std::move(name),
          [form](Builder& b, const ModelInput& in) { return residual_network(b, in, form); },
          bn_momentum};
}

}  // namespace convoy
