// MobileNet v1 (Howard 2017): pairs of a depthwise 3x3 and a 1x1 in three stages. Names and the
// leaky ReLU match the published ImageNet weights "mobilenetV1X0.25".

#include <fmt/core.h>

#include <cmath>

#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/activation.h"
#include "ops/pooling.h"

namespace convoy {
namespace {

struct Pair {
  int stage;
  int64_t out, stride;
};
constexpr Pair pairs[] = {{1, 64, 1},  {1, 128, 2},  {1, 128, 1}, {1, 256, 2}, {1, 256, 1},
                          {2, 512, 2}, {2, 512, 1},  {2, 512, 1}, {2, 512, 1}, {2, 512, 1},
                          {2, 512, 1}, {3, 1024, 2}, {3, 1024, 1}};

// Layers `at` and `at + 1` of a sequence (and an activation without parameters).
Value unit(Builder& b, int at, Value x, const ConvSpec& spec) {
  const Value y = conv(b, std::to_string(at), x, spec);
  return ops::leaky_relu(b, norm(b, std::to_string(at + 1), y), 0.1f);
}

Value network(Builder& b, const ModelInput& in, double width) {
  const auto wide = [=](int64_t full) {
    return static_cast<int64_t>(std::floor(static_cast<double>(full) * width));
  };
  Value x = in.image;
  {
    const auto scope = b.scope("stage1.0");
    x = unit(b, 0, x, {.out = wide(32), .stride = 2});
  }
  int stage = 1, number = 1;  // `number`: within its stage
  for (const Pair& pair : pairs) {
    if (pair.stage != stage) {
      b.expose_stage(x);
      number = 0;
    }
    stage = pair.stage;
    const auto scope = b.scope(fmt::format("stage{}.{}", stage, number++));
    const int64_t own = channels(b, x);
    x = unit(b, 0, x, {.out = own, .stride = pair.stride, .groups = own});
    x = unit(b, 3, x, {.out = wide(pair.out), .kernel = 1});
  }
  b.expose_stage(x);
  return linear(b, "fc", ops::global_avg_pool(b, x), in.classes);
}

Variant variant(std::string name, double width) {
  return {std::move(name),
          [width](Builder& b, const ModelInput& in) { return network(b, in, width); }};
}

}  // namespace

ModelDef mobilenet_v1_model() {
  return {.family = "mobilenet_v1",
          .help = "MobileNet v1, full and at a quarter, half, three quarters of its width",
          .image_size = 224,
          .channels = 3,
          .classes = 1000,
          .variants = {variant("mobilenet_v1", 1), variant("mobilenet_v1_075", 0.75),
                       variant("mobilenet_v1_050", 0.5), variant("mobilenet_v1_025", 0.25)}};
}

}  // namespace convoy
