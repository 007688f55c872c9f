// How ResNets start: as torchvision's, or with the last gamma of each block at zero.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "engine/state.h"
#include "models/model.h"
#include "support/raises.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

constexpr int classes = 1000;

StateLayout layout_of(const std::string& model, bool zero_init_residual = false) {
  const ModelOptions options =
      zero_init_residual ? ModelOptions{{"zero-init-residual", "true"}} : ModelOptions{};
  const Classification task(find_model(model).variant, classes, {}, options);
  return lay_out_state(task.build({.batch = 2, .image = {3, 32, 32}}).graph);
}

struct Moments {
  double mean = 0, deviation = 0, kurtosis = 0, least = 0, largest = 0;
};
Moments moments(std::span<const float> values) {
  const auto count = double(values.size());
  Moments m{.least = double(values[0]), .largest = double(values[0])};
  for (const float x : values) {
    m.mean += double(x) / count;
    m.least = std::min(m.least, double(x));
    m.largest = std::max(m.largest, double(x));
  }
  double squares = 0, fourths = 0;
  for (const float x : values) {
    const double d = std::pow(double(x) - m.mean, 2);
    squares += d;
    fourths += d * d;
  }
  m.deviation = std::sqrt(squares / count);
  m.kurtosis = fourths * count / (squares * squares);
  return m;
}

void expect_all(std::span<const float> values, float wanted, const std::string& name) {
  EXPECT_TRUE(std::ranges::all_of(values, [&](float x) { return x == wanted; })) << name;
}

// Kaiming's normal by fan-out. The smallest has 4,096 values: 5 deviations of each estimate.
void expect_kaiming(std::span<const float> values, const Shape& shape, const std::string& name) {
  const double wanted = std::sqrt(2 / double(shape[0] * shape[2] * shape[3]));
  const double count = double(values.size());
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean / wanted, 0, 5 / std::sqrt(count)) << name;
  EXPECT_NEAR(m.deviation / wanted, 1, 5 / std::sqrt(2 * count)) << name;
  EXPECT_NEAR(m.kurtosis, 3, 5 * std::sqrt(24 / count)) << name;
}

// Uniform within 1 / sqrt(fan-in), up to its ends.
void expect_uniform(std::span<const float> values, int64_t fan_in, const std::string& name) {
  const double limit = 1 / std::sqrt(double(fan_in)), count = double(values.size());
  const Moments m = moments(values);
  EXPECT_NEAR(m.mean / limit, 0, 5 / std::sqrt(3 * count)) << name;
  EXPECT_NEAR(m.deviation / limit, 1 / std::sqrt(3.0), 3 / std::sqrt(count)) << name;
  EXPECT_LE(std::max(-m.least, m.largest), limit * (1 + 1e-6)) << name;
  EXPECT_GE(std::min(-m.least, m.largest), limit * (1 - 20 / count)) << name;
}

class ResNetStart : public testing::TestWithParam<std::string> {};

TEST_P(ResNetStart, IsTorchvisions) {
  State state(layout_of(GetParam()), 0, false);
  state.initialize(3);
  const auto& params = state.layout().params;
  const int64_t fan_in = params[params.size() - 2].shape[1];  // of fc.weight
  int convolutions = 0, norms = 0, dense = 0;
  for (const auto& slot : params) {
    const auto values = state.params().subspan(size_t(slot.offset), size_t(slot.count));
    if (slot.shape.rank() == 4) {
      expect_kaiming(values, slot.shape, slot.name);
      ++convolutions;
    } else if (slot.name.starts_with("fc.")) {
      expect_uniform(values, fan_in, slot.name);
      ++dense;
    } else {
      expect_all(values, slot.name.ends_with(".weight") ? 1 : 0, slot.name);
      ++norms;
    }
  }
  EXPECT_GT(convolutions, 0);
  EXPECT_GT(norms, 0);
  EXPECT_EQ(dense, 2);
  for (const auto& slot : state.layout().stats) {
    expect_all(state.stats().subspan(size_t(slot.offset), size_t(slot.count)),
               slot.name.ends_with(".running_var") ? 1 : 0, slot.name);
  }
}

// All of the family that take little time.
std::vector<std::string> small_resnets() {
  std::vector<std::string> names;
  for (const Variant& variant : find_model("resnet18").family.variants) {
    if (layout_of(variant.name).param_floats < 30'000'000) names.push_back(variant.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, ResNetStart, testing::ValuesIn(small_resnets()),
                         [](const auto& given) { return given.param; });

TEST(ResNet, ZeroInitResidualZeroesTheLastGammaOfEachBlockAlone) {
  const std::map<std::string, std::pair<const char*, int>> models{
      {"resnet18", {"bn2", 8}},
      {"resnet34_v1", {"bn2", 16}},
      {"resnet50", {"bn3", 16}},
      {"resnet101_v1", {"bn3", 33}},
      {"wide_resnet50_2", {"bn3", 16}},
      {"cifar_resnet20", {"bn2", 9}},
      {"cifar_resnet11_bottleneck", {"bn3", 3}}};
  for (const auto& [model, last] : models) {
    const std::regex zeroed(std::string(R"(layer\d\.\d+\.)") + last.first + R"(\.weight)");
    const StateLayout plain = layout_of(model), changed = layout_of(model, true);
    ASSERT_EQ(plain, changed);
    int count = 0;
    for (size_t i = 0; i < plain.params.size(); ++i) {
      const std::string& name = plain.params[i].name;
      const Init &before = plain.params[i].init, &after = changed.params[i].init;
      if (std::regex_match(name, zeroed)) {
        ++count;
        EXPECT_EQ(before.kind, Init::Kind::ones) << model << " " << name;
        EXPECT_EQ(after.kind, Init::Kind::zeros) << model << " " << name;
      } else {
        EXPECT_EQ(before.kind, after.kind) << model << " " << name;
        EXPECT_EQ(before.scale, after.scale) << model << " " << name;
      }
    }
    EXPECT_EQ(count, last.second) << model;
  }
}

TEST(ResNet, ZeroInitResidualIsRefusedWhereBlocksEndWithoutANorm) {
  for (const char* model : {"resnet18_v2", "resnet50_v2"}) {
    expect_raises(Fault::usage, {"--zero-init-residual", "try: "}, [&] { layout_of(model, true); });
  }
}

}  // namespace
}  // namespace convoy::test
