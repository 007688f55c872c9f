// Recipes that come with the program have the steps and learning rates of whoever they are from.

#include <gtest/gtest.h>

#include "config/config_file.h"
#include "train/run_config.h"

namespace convoy::test {
namespace {

struct Expected {
  const char* recipe;
  int64_t samples;
  int64_t global_batch;
  int64_t steps_per_epoch;  // whole ones
  double peak;
  std::vector<std::pair<int64_t, double>> rates;  // by step
  int64_t total_steps = 0;                        // 0: nobody says
};

constexpr int64_t imagenet = 1281167, cifar = 50000;

// Global batches, steps and peaks: as the recipes' authors print them. Rates: their formulas, where
// they were evaluated by them.
const std::vector<Expected> all{
    {"imagenet/keras_resnet50_sgd",
     imagenet,
     256,
     5004,
     0.1,
     {{0, 0},
      {12510, 0.05},
      {25020, 0.1},
      {150120, 0.1},
      {150121, 0.01},
      {300241, 0.001},
      {400321, 0.0001}}},
    {"imagenet/keras_resnet50_lars",
     imagenet,
     2048,
     625,
     9.5,
     {{0, 0},
      {625, 3.166667},
      {1875, 9.5},
      {1876, 9.499178},
      {5000, 7.106038},
      {12500, 2.776024},
      {24999, 0.0001}},
     25000},
    {"imagenet/resnext101_90epochs",
     imagenet,
     1024,
     1251,
     1.024,
     {{5004, 0.511949}, {10008, 1.023898}, {10009, 1.004166}, {56301, 0.512}},
     112602},
    {"imagenet/resnet50", imagenet, 256, 5004, 0.1, {{0, 0.1}, {200000, 0.01}, {400000, 0.001}}},
    {"imagenet/resnet50_custom_lr",
     imagenet,
     2048,
     625,
     0.1,
     {{0, 0.1},
      {625, 0.275},
      {1250, 0.45},
      {1875, 0.625},
      {2500, 0.8},
      {18750, 0.08},
      {37500, 0.008},
      {50000, 0.0008}}},
    {"cifar10/resnet20_10epochs", cifar, 32, 1562, 0.5, {{0, 0.5}, {15000, 0.0005}}},
    {"cifar10/resnext29_10epochs", cifar, 8, 6250, 0.125, {{0, 0.125}, {60000, 0.000125}}},
    {"graphcore/mk2_resnet8_test", cifar, 32, 1562, 0.5, {}},
    {"graphcore/mk2_resnet50_mlperf_pod16", imagenet, 2304, 556, 4.588, {}},
    {"graphcore/mk2_resnet50_mlperf_pod16_bs20", imagenet, 1920, 667, 3.824, {}},
    {"graphcore/mk2_resnet50_mlperf_pod64_bs20", imagenet, 2560, 500, 5.098, {}},
    {"graphcore/mk2_resnet50_mlperf_pod128_bs20", imagenet, 2048, 625, 4.078, {}},
    {"graphcore/mk2_resnet50_mlperf_pod16_lars",
     imagenet,
     3200,
     400,
     10.72,
     {{400, 5.36}, {800, 10.72}, {7606, 2.986231}, {15213, 0.0001}},
     15213},
    {"graphcore/mk2_resnet50_mlperf_pod64_lars", imagenet, 3840, 333, 12.15, {{667, 12.15}}, 12678},
    {"graphcore/mk2_resnet50_mlperf_pod128_lars", imagenet, 5120, 250, 11.2, {{500, 11.2}}, 10259},
    {"graphcore/mk2_resnet50_mlperf_pod256_lars", imagenet, 10240, 125, 17.2, {{250, 17.2}}, 5630},
    {"graphcore/mk2_resnet50_bn_16ipus",
     imagenet,
     16384,
     78,
     2,
     {{195, 0.998466}, {390, 1.987748}, {3909, 1.000201}},
     7819},
    {"graphcore/mk2_resnet50_bn_64ipus", imagenet, 16384, 78, 2, {{390, 1.987748}}},
    {"graphcore/mk2_resnet50_bn_128ipus", imagenet, 16384, 78, 2, {{390, 1.987748}}},
    {"graphcore/mk1_resnet50_16ipus", imagenet, 1024, 1251, 0.5, {}},
    {"graphcore/mk2_resnext101_16ipus", imagenet, 768, 1668, 0.375, {}},
    {"imagenet/resnext101_250epochs", imagenet, 1024, 1251, 1.024, {}},
    {"graphcore/mk2_efficientnet_b4_g1_16ipus", imagenet, 768, 1668, 0.046875, {}},
    {"graphcore/mk2_efficientnet_b4_g1_64ipus", imagenet, 768, 1668, 0.046875, {}},
    {"graphcore/mk2_efficientnet_b4_g16_16ipus", imagenet, 800, 1601, 0.048828125, {}},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus", imagenet, 640, 2001, 0.0390625, {}},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus_LARS", imagenet, 3040, 421, 4.19845, {}},
};

TEST(RecipeRates, AreThoseOfTheirAuthors) {
  const std::vector<std::string> folders{std::string(CONVOY_SOURCE_DIR) + "/configs"};
  for (const Expected& e : all) {
    SCOPED_TRACE(e.recipe);
    Fields known({});
    RunConfig::describe_all(known);
    Fields field(load_config(e.recipe, folders, known.all()));
    RunConfig config;
    config.describe(field);
    const int64_t batch = config.step_shape().global_batch();
    EXPECT_EQ(batch, e.global_batch);
    const EpochPlan epochs(e.samples, batch, config.epochs, config.data.tail());
    EXPECT_EQ(static_cast<int64_t>(epochs.steps_per_epoch()), e.steps_per_epoch);
    EXPECT_NEAR(config.lr.peak(batch), e.peak, 1e-9);
    EXPECT_EQ(e.total_steps > 0 ? epochs.total_steps() : 0, e.total_steps);
    for (const auto& [step, rate] : e.rates) {
      EXPECT_NEAR(config.lr.at(step, config.schedule_site(epochs)), rate, 1e-6 + 1e-4 * rate)
          << "step " << step;
    }
  }
}

}  // namespace
}  // namespace convoy::test
