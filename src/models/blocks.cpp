#include "models/blocks.h"

#include <cmath>

#include "ops/batch_norm.h"
#include "ops/linear.h"

namespace convoy {

Value conv(Builder& b, std::string_view name, Value x, const ConvSpec& spec) {
  const auto scope = b.scope(name);
  const auto fan_out = static_cast<float>(spec.out * spec.kernel * spec.kernel);
  const Value w =
      b.param("weight", {spec.out, channels(b, x) / spec.groups, spec.kernel, spec.kernel},
              {Init::Kind::normal, std::sqrt(2 / fan_out)});
  return ops::convolution(b, x, w,
                          {.stride = spec.stride,
                           .padding = ops::Padding::all(spec.kernel / 2),
                           .groups = spec.groups});
}

Value batch_norm(Builder& b, std::string_view name, Value x, Gamma start) {
  const auto scope = b.scope(name);
  const Shape c{channels(b, x)};
  const Value gamma =
      b.param("weight", c, {start == Gamma::zero ? Init::Kind::zeros : Init::Kind::ones}, false);
  const Value beta = b.param("bias", c, {Init::Kind::zeros}, false);
  const Value mean = b.stat("running_mean", c, 0);
  const Value variance = b.stat("running_var", c, 1);
  return ops::batch_norm(b, x, {gamma, beta, mean, variance});
}

Value linear(Builder& b, std::string_view name, Value x, int64_t out) {
  const auto scope = b.scope(name);
  const int64_t in = b.shape(x)[1];
  const Init init{Init::Kind::uniform, 1 / std::sqrt(static_cast<float>(in))};
  const Value w = b.param("weight", {out, in}, init);
  const Value bias = b.param("bias", {out}, init, false);
  return ops::linear(b, x, w, bias);
}

}  // namespace convoy
