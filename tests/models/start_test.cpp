// How the weights of each system's networks start: kinds and deviations as their documents have
// them, written here as formulas of the shapes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/model.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

using Kind = Init::Kind;

// TensorFlow's truncated normal: cut at two deviations, and wider so that the cut one has sigma.
constexpr float cut = 0.87962566103423978f;

struct Fans {
  float in, out;
};

// Of a group's input channels, as all of the sources count; the output's are all.
Fans fans_of(const Shape& shape) {
  const auto window = static_cast<float>(shape.rank() == 4 ? shape[2] * shape[3] : 1);
  return {static_cast<float>(shape[1]) * window, static_cast<float>(shape[0]) * window};
}

struct Expected {
  Kind kind;
  float (*scale)(Fans);
};
constexpr Expected he_fan_out{Kind::normal, [](Fans f) { return std::sqrt(2 / f.out); }};
constexpr Expected glorot{Kind::uniform, [](Fans f) { return std::sqrt(6 / (f.in + f.out)); }};
constexpr Expected scaled_1_in{Kind::truncated_normal,
                               [](Fans f) { return std::sqrt(1 / f.in) / cut; }};
constexpr Expected scaled_2_in{Kind::truncated_normal,
                               [](Fans f) { return std::sqrt(2 / f.in) / cut; }};
constexpr Expected scaled_2_out{Kind::truncated_normal,
                                [](Fans f) { return std::sqrt(2 / f.out) / cut; }};
constexpr Expected he_uniform_in{Kind::uniform, [](Fans f) { return std::sqrt(6 / f.in); }};
constexpr Expected within_fan_in{Kind::uniform, [](Fans f) { return 1 / std::sqrt(f.in); }};
constexpr Expected within_fan_out{Kind::uniform, [](Fans f) { return 1 / std::sqrt(f.out); }};
constexpr Expected hundredth{Kind::normal, [](Fans) { return 0.01f; }};

struct System {
  const char* model;
  Expected conv, dense;      // dense: the head, which may be a 1x1 convolution
  bool bias_is_zero = true;  // of the dense layer
};

const std::vector<System> systems{
    {"resnet50", he_fan_out, within_fan_in, false},
    {"resnext50_32x4d", he_fan_out, within_fan_in, false},
    {"cifar_resnet20", he_fan_out, within_fan_in, false},
    {"efficientnet_b0", he_fan_out, within_fan_out},
    {"keras_resnet50", glorot, glorot},
    {"habana_keras_resnet50", scaled_2_in, hundredth},
    {"habana_resnet50", scaled_1_in, glorot},
    {"habana_resnext101", scaled_1_in, glorot},
    {"graphcore_resnet50", scaled_1_in, glorot},
    {"graphcore_cifar_resnet8", scaled_1_in, glorot},
    {"graphcore_efficientnet_b0", scaled_2_out, glorot},
    {"cifar_efficientnet", scaled_2_out, glorot},
    {"mobilenet_v1", he_fan_out, within_fan_in, false},
    {"squeezenet1_0", he_uniform_in, hundredth},
};

TEST(WeightsCatalog, EveryFamilyOfClassifiersHasARow) {
  for (const ModelDef& family : model_catalog()) {
    if (family.task != "classification") continue;
    const auto is_of_family = [&](const System& system) {
      return &find_model(system.model).family == &family;
    };
    EXPECT_TRUE(std::ranges::any_of(systems, is_of_family)) << family.family;
  }
}

TEST(WeightsCatalog, StartAsEachSystemStartsThem) {
  for (const System& system : systems) {
    SCOPED_TRACE(system.model);
    const FoundModel model = find_model(system.model);
    const int64_t side = model.family.image_size;
    const Graph graph = Classification(model.variant, 10, {})
                            .build({.batch = 1, .image = {3, side, side}, .train = false})
                            .graph;
    const Param& dense = graph.params[graph.params.size() - 2];
    for (const Param& p : graph.params) {
      if (p.shape.rank() != 4 || &p == &dense) continue;
      // Depthwise ones of Graphcore's EfficientNets count their input instead.
      const bool is_depthwise = p.shape[1] == 1 && p.shape[2] > 1;
      const bool counts_input = is_depthwise && system.conv.kind == Kind::truncated_normal;
      const Expected& wanted = counts_input ? scaled_2_in : system.conv;
      EXPECT_EQ(p.init.kind, wanted.kind) << p.name;
      const float scale = wanted.scale(fans_of(p.shape));
      EXPECT_NEAR(p.init.scale, scale, 1e-5f * scale) << p.name;
    }
    EXPECT_GE(dense.shape.rank(), 2) << dense.name;
    EXPECT_EQ(dense.init.kind, system.dense.kind) << dense.name;
    const float scale = system.dense.scale(fans_of(dense.shape));
    EXPECT_NEAR(dense.init.scale, scale, 1e-5f * scale);
    const Param& bias = graph.params.back();
    ASSERT_EQ(bias.shape.rank(), 1);
    EXPECT_EQ(bias.init.kind == Kind::zeros, system.bias_is_zero) << bias.name;
  }
}

}  // namespace
}  // namespace convoy::test
