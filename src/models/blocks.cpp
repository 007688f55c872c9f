#include "models/blocks.h"

#include <cmath>

#include "base/error.h"
#include "ops/elementwise/bias.h"
#include "ops/linear.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"

namespace convoy {
namespace {

// The deviation of a normal distribution truncated at two deviations, relative to the original one.
constexpr float truncated_deviation = 0.87962566103423978f;

Init conv_init(ConvStart start, float fan_in, float fan_out) {
  switch (start) {
    case ConvStart::kaiming_fan_out:
      return {Init::Kind::normal, std::sqrt(2 / fan_out)};
    case ConvStart::kaiming_uniform:
      return {Init::Kind::uniform, std::sqrt(6 / fan_in)};
    case ConvStart::glorot_uniform:
      return {Init::Kind::uniform, std::sqrt(6 / (fan_in + fan_out))};
    case ConvStart::truncated_fan_in:
      return {Init::Kind::truncated_normal, std::sqrt(1 / fan_in) / truncated_deviation};
    case ConvStart::truncated_2_fan_in:
      return {Init::Kind::truncated_normal, std::sqrt(2 / fan_in) / truncated_deviation};
    case ConvStart::truncated_2_fan_out:
      return {Init::Kind::truncated_normal, std::sqrt(2 / fan_out) / truncated_deviation};
  }
  return {};
}

}  // namespace

void NormOptions::describe(Fields& field) {
  field("norm", kind, "batch or group norm instead of the model's own");
  field("norm-groups", groups, "groups of group norm; 0: the model's own", at_least(0), {"groups"});
  describe_epsilon(field);
}

void NormOptions::describe_epsilon(Fields& field) {
  field("norm-epsilon", epsilon, "added to variances; 0: the model's own", between(0, 1));
}

void DropoutOption::describe(Fields& field) {
  field("dropout-rate", rate,
        "share of the features that are left out before the head; -1: the model's own",
        between(-1, 0.99).training_only(), {"dropout"});
}

void ZeroGammaOption::describe(Fields& field) {
  field("zero-init-residual", on,
        "the last batch norm of each residual block starts with gamma 0: it begins as the identity",
        any_value().training_only(), {"zero-gamma"});
}

Style Style::with(const NormOptions& options) const {
  Style style = *this;
  if (options.kind != NormChoice::automatic) {
    style.norm = options.kind == NormChoice::batch ? NormKind::batch : NormKind::group;
  }
  if (options.epsilon > 0) {
    style.batch_epsilon = style.group_epsilon = static_cast<float>(options.epsilon);
  }
  if (options.groups) {
    if (style.norm != NormKind::group)
      raise(Fault::usage, "--norm-groups: there is no group norm; try: --norm group");
    style.norm_groups = options.groups;
  }
  return style;
}

Value conv(Builder& b, std::string_view name, Value x, const ConvSpec& spec, const Style& style) {
  const auto scope = b.scope(name);
  const int64_t window = spec.kernel * spec.kernel, in = channels(b, x) / spec.groups;
  const Value w = b.param("weight", {spec.out, in, spec.kernel, spec.kernel},
                          conv_init(style.conv, static_cast<float>(in * window),
                                    static_cast<float>(spec.out * window)));
  const ops::Padding padding = spec.valid ? ops::Padding{} : style.padding(spec.kernel);
  const Value y =
      ops::convolution(b, x, w, {.stride = spec.stride, .padding = padding, .groups = spec.groups});
  if (!spec.bias) return y;
  return ops::add_bias(b, y, b.param("bias", {spec.out}, {Init::Kind::zeros}, false));
}

Init pointwise_init(const Style& style, int64_t in, int64_t out) {
  return conv_init(style.conv, static_cast<float>(in), static_cast<float>(out));
}

Value norm(Builder& b, std::string_view name, Value x, const Style& style, Gamma start) {
  const auto scope = b.scope(name);
  const Shape c{channels(b, x)};
  const Value gamma =
      b.param("weight", c, {start == Gamma::zero ? Init::Kind::zeros : Init::Kind::ones}, false);
  const Value beta = b.param("bias", c, {Init::Kind::zeros}, false);
  if (style.norm == NormKind::group) {
    return ops::group_norm(b, x, gamma, beta,
                           {.groups = style.norm_groups, .epsilon = style.group_epsilon});
  }
  const Value mean = b.stat("running_mean", c, 0);
  const Value variance = b.stat("running_var", c, 1);
  return ops::batch_norm(b, x, {gamma, beta, mean, variance}, {.epsilon = style.batch_epsilon});
}

Value linear(Builder& b, std::string_view name, Value x, int64_t out, const Style& style) {
  const auto scope = b.scope(name);
  const int64_t in = b.shape(x)[1];
  const auto fan_in = static_cast<float>(in), fan_out = static_cast<float>(out);
  Init init{Init::Kind::uniform, 1 / std::sqrt(fan_in)};
  if (style.dense == DenseStart::fan_out) init.scale = 1 / std::sqrt(fan_out);
  if (style.dense == DenseStart::glorot) init.scale = std::sqrt(6 / (fan_in + fan_out));
  if (style.dense == DenseStart::normal) init = {Init::Kind::normal, 0.01f};
  const Value w = b.param("weight", {out, in}, init);
  const Value bias = b.param(
      "bias", {out}, style.dense == DenseStart::fan_in ? init : Init{Init::Kind::zeros}, false);
  return ops::linear(b, x, w, bias);
}

}  // namespace convoy
