// Recipes that come with the program are those of their sources: every field, and the steps and
// learning rates that follow from them. The values are written from the sources' documents, system
// by system, and not read from the recipes: a field that a recipe has and its source has not, or
// the other way round, fails.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "config/config_file.h"
#include "config/value.h"
#include "support/places.h"
#include "train/run/run_config.h"

namespace convoy::test {
namespace {

using Values = std::map<std::string, std::string>;

// Later ones go before earlier ones; "-" takes a key away.
Values merged(std::initializer_list<Values> all) {
  Values result;
  for (const Values& some : all) {
    for (const auto& [key, value] : some) {
      if (value == "-") {
        result.erase(key);
      } else {
        result[key] = value;
      }
    }
  }
  return result;
}

// Pictures as TensorFlow's stacks see them: a tenth of an object, legacy bilinear, a flip.
const Values tensorflow_pictures{{"dataset", "imagenet"},
                                 {"crop", "distorted-box"},
                                 {"interpolation", "legacy-bilinear"},
                                 {"augment", "flip"}};
// x - (123.68, 116.78, 103.94) of 0..255.
const Values mean_only{{"mean", "0.485019608,0.457960784,0.407607843"}, {"std", "0.00392156863"}};

// Habana's Keras and ResNeXt recipes: 1,001 outputs.
const Values habana =
    merged({tensorflow_pictures, mean_only, {{"num-classes", "1001"}, {"epochs", "90"}}});
// Labels as stored, 1 to 1000, or one less.
const Values labels_as_stored{{"label-offset", "1"}}, labels_from_zero{{"label-offset", "0"}};
// The sources' commands: compute in bf16, images in bf16.
const Values in_bf16{{"precision", "16.32"}}, images_in_bf16{{"data-loader-image-type", "bf16"}};
const Values keras_sgd = merged({habana,
                                 labels_from_zero,
                                 in_bf16,
                                 images_in_bf16,
                                 {{"model", "habana_keras_resnet50"},
                                  {"epoch-tail", "drop"},
                                  {"batch-size", "256"},
                                  {"optimizer", "keras-sgd"},
                                  {"momentum", "0.9"},
                                  {"base-lr", "0.1"},
                                  {"lr-batch", "256"},
                                  {"weight-decay", "0.0001"},
                                  {"weight-decay-form", "square"},
                                  {"bias-weight-decay", "0.0001"},
                                  {"lr-schedule", "piecewise"},
                                  {"piecewise-epochs", "30,60,80"},
                                  {"piecewise-factors", "0.1,0.01,0.001"},
                                  {"piecewise-boundary", "left"},
                                  {"warmup-epochs", "5"},
                                  {"warmup-kind", "replace"}}});
const Values keras_lars = merged({habana,
                                  labels_from_zero,
                                  in_bf16,
                                  images_in_bf16,
                                  {{"model", "habana_keras_resnet50"},
                                   {"epochs", "40"},
                                   {"epoch-tail", "drop"},
                                   {"batch-size", "256"},
                                   {"replicas", "8"},
                                   {"replica-mode", "sequence"},
                                   {"optimizer", "lars"},
                                   {"lr", "9.5"},
                                   {"lars-epsilon", "1e-7"},
                                   {"weight-decay", "0.0001"},
                                   {"label-smoothing", "0.1"},
                                   {"lr-schedule", "polynomial"},
                                   {"poly-lr-decay-power", "2"},
                                   {"poly-lr-extra-steps", "1"},
                                   {"min-lr", "0.0001"},
                                   {"warmup-epochs", "3"}}});
// 2^-14 of decay, the bias too.
const Values resnext101 = merged({habana,
                                  labels_as_stored,
                                  in_bf16,
                                  images_in_bf16,
                                  {{"model", "habana_resnext101"},
                                   {"epoch-tail", "carry"},
                                   {"batch-size", "128"},
                                   {"replicas", "8"},
                                   {"replica-mode", "sequence"},
                                   {"optimizer", "sgd"},
                                   {"momentum", "0.875"},
                                   {"base-lr", "0.256"},
                                   {"lr-batch", "256"},
                                   {"weight-decay", "6.103515625e-5"},
                                   {"bias-weight-decay", "6.103515625e-5"},
                                   {"label-smoothing", "0.1"},
                                   {"lr-schedule", "cosine"},
                                   {"warmup-epochs", "8"},
                                   {"warmup-kind", "replace"}}});
// torchvision's reference: norms and biases decay like all else. Its sampler repeats samples up to
// a whole step; Habana's loader drops the rest instead.
const Values torchvision{{"model", "resnet50"},
                         {"dataset", "imagenet"},
                         {"crop", "random-resized"},
                         {"augment", "flip"},
                         {"epochs", "90"},
                         {"epoch-tail", "wrap"},
                         {"batch-size", "32"},
                         {"replicas", "8"},
                         {"replica-mode", "sequence"},
                         {"optimizer", "sgd"},
                         {"lr", "0.1"},
                         {"momentum", "0.9"},
                         {"weight-decay", "0.0001"},
                         {"decay-norm-bias", "true"},
                         {"lr-schedule", "steplr"},
                         {"lr-step-size", "30"},
                         {"learning-rate-decay", "0.1"}};
const Values custom_lr = merged({torchvision,
                                 in_bf16,
                                 {{"epoch-tail", "drop"},
                                  {"batch-size", "256"},
                                  {"lr-schedule", "custom_lr"},
                                  {"lr-step-size", "-"},
                                  {"learning-rate-decay", "-"}}});

// Graphcore's parser: fp16, weights too unless the recipe says 16.32; a loss scale of 128, warm-up
// multiplied onto cosine, stepped and exponential. Smoothing spreads over the wrong classes.
// Iterations are images x epochs // batch.
const Values graphcore = merged({tensorflow_pictures,
                                 {{"epoch-tail", "carry"},
                                  {"momentum", "0.9"},
                                  {"precision", "16.16"},
                                  {"dtype", "fp16"},
                                  {"loss-scale", "128"},
                                  {"label-smoothing", "0.1"},
                                  {"label-smoothing-kind", "others"}}});
// ResNet on ImageNet: beta and gamma do not decay, biases do. --normalise-input is the default
// here.
const Values graphcore_resnet = merged({graphcore,
                                        {{"model", "graphcore_resnet50"},
                                         {"optimizer", "sgd"},
                                         {"epochs", "100"},
                                         {"batch-size", "16"},
                                         {"weight-decay", "0.0001"},
                                         {"bias-weight-decay", "0.0001"},
                                         {"lr-schedule", "cosine"},
                                         {"warmup-epochs", "5"},
                                         {"warmup-kind", "multiply"}}});
Values long_bn(const char* replicas, const char* accumulation) {
  return merged({graphcore_resnet,
                 {{"precision", "16.32"},
                  {"norm", "batch"},
                  {"replicas", replicas},
                  {"gradient-accumulation-count", accumulation},
                  {"base-learning-rate-exponent", "-13"},
                  {"bn-momentum", "0.03"},
                  {"bn-update", "step"}}});
}
// The MLPerf recipes: --fused-preprocessing gives four channels, BN_decay 0.9 over pairs, a
// checkpoint (which is what is validated) every four epochs from ckpt_epochs_offset on.
Values mlperf(const char* epochs, const char* batch, const char* replicas, const char* accumulation,
              const char* lr, const char* offset) {
  const bool accumulates = std::string(accumulation) != "1";
  Values values = merged({graphcore_resnet,
                          {{"norm", "batch"},
                           {"stem-channels", "4"},
                           {"bn-momentum", "0.1"},
                           {"bn-span", "2"},
                           {"bn-update", accumulates ? "step" : "micro-batch"},
                           {"epochs", epochs},
                           {"batch-size", batch},
                           {"replicas", replicas},
                           {"gradient-accumulation-count", accumulation},
                           {"lr", lr},
                           {"weight-decay", "2.5e-5"},
                           {"bias-weight-decay", "2.5e-5"},
                           {"lr-schedule", "polynomial"},
                           {"poly-lr-decay-power", "2"},
                           {"min-lr", "0.0001"},
                           {"warmup-kind", "shift"},
                           {"eval-epochs", "4"},
                           {"checkpoint-epochs", "4"}}});
  if (std::string(offset) != "0") {
    values["eval-epochs-offset"] = values["checkpoint-epochs-offset"] = offset;
  }
  return values;
}
// Both decays are applied.
Values mlperf_lars(const char* epochs, const char* replicas, const char* accumulation,
                   const char* lr, const char* inner_decay, const char* offset) {
  return merged({mlperf(epochs, "20", replicas, accumulation, lr, offset),
                 {{"optimizer", "lars"},
                  {"weight-decay", "5e-5"},
                  {"bias-weight-decay", "5e-5"},
                  {"lars-weight-decay", inner_decay},
                  {"warmup-epochs", "2"}}});
}
// EfficientNet: no --normalise-input, so means alone are subtracted. weight_avg_exp needs the
// checkpoint of every epoch.
Values efficientnet(const char* model, const char* batch, const char* replicas,
                    const char* accumulation) {
  return merged({graphcore,
                 mean_only,
                 {{"model", model},
                  {"precision", "16.32"},
                  {"epochs", "350"},
                  {"batch-size", batch},
                  {"replicas", replicas},
                  {"gradient-accumulation-count", accumulation},
                  {"optimizer", "tf-rmsprop"},
                  {"rmsprop-base-decay-exp", "-14"},
                  {"base-learning-rate-exponent", "-14"},
                  {"weight-decay", "1e-5"},
                  {"bias-weight-decay", "1e-5"},
                  {"mixup-alpha", "0.2"},
                  {"cutmix-lambda", "0.85"},
                  {"cutmix-version", "1"},
                  {"lr-schedule", "exponential"},
                  {"learning-rate-decay", "0.97"},
                  {"lr-drops", "146"},
                  {"checkpoint-keep", "350"},
                  {"warmup-epochs", "5"},
                  {"warmup-kind", "multiply"}}});
}
// With LARS the plain decay is 0 by default.
const Values efficientnet_lars =
    merged({efficientnet("graphcore_efficientnet_b4_g16", "5", "16", "38"),
            {{"optimizer", "lars"},
             {"rmsprop-base-decay-exp", "-"},
             {"base-learning-rate-exponent", "-9.5"},
             {"weight-decay", "0"},
             {"bias-weight-decay", "-"},
             {"lars-weight-decay", "1e-5"},
             {"lr-schedule", "polynomial"},
             {"learning-rate-decay", "-"},
             {"lr-drops", "-"},
             {"poly-lr-decay-power", "2"},
             {"min-lr-ratio", "1e-5"},
             {"warmup-epochs", "50"},
             {"warmup-kind", "shift"}}});
// CIFAR: standardised, then flipped and cropped from a padding of zeros; all but moving statistics
// decays; 2^-6 an image, no momentum.
const Values resnet8_test{{"model", "graphcore_cifar_resnet8"},
                          {"dataset", "cifar-10"},
                          {"normalise", "standardise"},
                          {"normalise-first", "true"},
                          {"augment", "flip,pad-crop"},
                          {"crop-padding", "4"},
                          {"epochs", "10"},
                          {"epoch-tail", "carry"},
                          {"batch-size", "32"},
                          {"optimizer", "sgd"},
                          {"base-learning-rate-exponent", "-6"},
                          {"momentum", "0"},
                          {"weight-decay", "1e-6"},
                          {"decay-norm-bias", "true"},
                          {"precision", "16.16"},
                          {"dtype", "fp16"},
                          {"loss-scale", "128"},
                          {"bn-momentum", "0.03"},
                          {"lr-schedule", "stepped"},
                          {"learning-rate-decay", "0.1"},
                          {"learning-rate-schedule", "0.5,0.75"},
                          {"warmup-epochs", "5"},
                          {"warmup-kind", "multiply"},
                          {"eval-epochs", "0"},
                          {"checkpoint-epochs", "0"}};
// He et al. 2015, section 4.2.
const Values he_cifar{{"model", "cifar_resnet20"},
                      {"dataset", "cifar-10"},
                      {"augment", "pad-crop,flip"},
                      {"crop-padding", "4"},
                      {"epochs", "160"},
                      {"batch-size", "128"},
                      {"optimizer", "sgd"},
                      {"lr", "0.1"},
                      {"lr-schedule", "stepped"},
                      {"learning-rate-decay", "0.1"},
                      {"learning-rate-schedule", "0.5,0.75"},
                      {"momentum", "0.9"},
                      {"weight-decay", "0.0001"},
                      {"decay-norm-bias", "true"}};

// Habana's SSD-ResNet34: the defaults of its options, for one worker.
const Values ssd{{"model", "ssd_resnet34"},
                 {"precision", "16.32"},
                 {"dataset", "coco"},
                 {"crop", "ssd-crop"},
                 {"eval-crop", "ssd-whole"},
                 {"augment", "flip,ssd-jitter"},
                 {"normalise", "mean-std-reciprocal"},
                 {"epochs", "50"},
                 {"epoch-tail", "wrap"},
                 {"batch-size", "128"},
                 {"optimizer", "sgd"},
                 {"base-lr", "0.003"},
                 {"lr-batch", "32"},
                 {"momentum", "0.9"},
                 {"weight-decay", "0.0005"},
                 {"decay-norm-bias", "true"},
                 {"bn-momentum", "0.1"},
                 {"lr-schedule", "piecewise"},
                 {"piecewise-epochs", "40,50"},
                 {"piecewise-factors", "0.1,0.01"},
                 {"warmup-epochs", "5"},
                 {"warmup-kind", "replace"},
                 {"eval-epochs", "5"},
                 {"checkpoint-epochs", "5"},
                 {"checkpoint-keep", "20"}};

const std::map<std::string, Values> fields_of_sources{
    {"ssd/resnet34", ssd},
    {"ssd/resnet34_64epochs", merged({ssd, {{"epochs", "64"}}})},
    {"ssd/resnet34_8workers",
     merged({ssd, {{"epochs", "64"}, {"replicas", "8"}, {"replica-mode", "sequence"}}})},
    {"cifar10/resnet20", he_cifar},
    {"cifar10/resnet56", merged({he_cifar, {{"model", "cifar_resnet56"}}})},
    {"cifar100/resnet20", merged({he_cifar, {{"dataset", "cifar-100"}}})},
    {"imagenet/tensorflow",
     merged({habana,
             labels_as_stored,
             {{"model", "habana_resnet50"}, {"batch-size", "256"}, {"weight-decay", "0.0001"}}})},
    {"imagenet/keras_resnet50_sgd", keras_sgd},
    {"imagenet/keras_resnet50_lars", keras_lars},
    {"imagenet/resnext101_90epochs", resnext101},
    {"imagenet/resnext101_250epochs",
     merged({resnext101, {{"epochs", "250"}, {"mixup-alpha", "0.2"}, {"mixup-form", "reversed"}}})},
    {"imagenet/resnet50", torchvision},
    {"imagenet/resnet50_custom_lr", custom_lr},
    {"imagenet/resnet50_tensorflow",
     merged({torchvision,
             mean_only,
             {{"crop", "distorted-box"}, {"interpolation", "legacy-bilinear"}}})},
    {"graphcore/resnet50", graphcore_resnet},
    {"graphcore/mk1_resnet50_16ipus", merged({graphcore_resnet,
                                              {{"epochs", "65"},
                                               {"batch-size", "4"},
                                               {"replicas", "4"},
                                               {"gradient-accumulation-count", "64"},
                                               {"base-learning-rate-exponent", "-11"}}})},
    {"graphcore/mk2_resnet50_bn_16ipus", long_bn("4", "256")},
    {"graphcore/mk2_resnet50_bn_64ipus", long_bn("16", "64")},
    {"graphcore/mk2_resnet50_bn_128ipus", long_bn("32", "32")},
    {"graphcore/mk2_resnext101_16ipus", merged({graphcore_resnet,
                                                {{"model", "graphcore_resnext101"},
                                                 {"epochs", "120"},
                                                 {"batch-size", "6"},
                                                 {"replicas", "8"},
                                                 {"gradient-accumulation-count", "16"},
                                                 {"base-learning-rate-exponent", "-11"}}})},
    {"graphcore/mk2_resnet50_mlperf_pod16", mlperf("44", "16", "16", "9", "4.588", "0")},
    {"graphcore/mk2_resnet50_mlperf_pod16_bs20", mlperf("40", "20", "16", "6", "3.824", "0")},
    {"graphcore/mk2_resnet50_mlperf_pod64_bs20", mlperf("41", "20", "64", "2", "5.098", "1")},
    {"graphcore/mk2_resnet50_mlperf_pod128_bs20", mlperf("41", "16", "128", "1", "4.078", "1")},
    {"graphcore/mk2_resnet50_mlperf_pod16_lars",
     mlperf_lars("38", "16", "10", "10.72", "5e-5", "2")},
    {"graphcore/mk2_resnet50_mlperf_pod64_lars",
     mlperf_lars("38", "64", "3", "12.15", "5e-5", "2")},
    {"graphcore/mk2_resnet50_mlperf_pod128_lars",
     mlperf_lars("41", "128", "2", "11.2", "0.0001", "1")},
    {"graphcore/mk2_resnet50_mlperf_pod256_lars",
     mlperf_lars("45", "256", "2", "17.2", "0.0001", "1")},
    {"graphcore/mk2_efficientnet_b4_g1_16ipus",
     efficientnet("graphcore_efficientnet_b4", "3", "4", "64")},
    {"graphcore/mk2_efficientnet_b4_g1_64ipus",
     efficientnet("graphcore_efficientnet_b4", "3", "16", "16")},
    {"graphcore/mk2_efficientnet_b4_g16_16ipus",
     efficientnet("graphcore_efficientnet_b4_g16", "5", "4", "40")},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus",
     efficientnet("graphcore_efficientnet_b4_g16", "5", "16", "8")},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus_LARS", efficientnet_lars},
    {"graphcore/mk2_resnet8_test", resnet8_test},
};

// What a source has where a recipe relies on the program's default: the default must be that too.
const Values silent{{"replicas", "1"},
                    {"gradient-accumulation-count", "1"},
                    {"bn-span", "1"},
                    {"sync-bn", "false"},
                    {"bn-update", "micro-batch"},
                    {"label-offset", "0"},
                    {"label-smoothing", "0"},
                    {"label-smoothing-kind", "uniform"},
                    {"mixup-alpha", "0"},
                    {"cutmix-alpha", "0"},
                    {"loss-scale", "1"},
                    {"nesterov", "false"},
                    {"momentum", "0.9"},
                    {"weight-decay-form", "half"},
                    {"decay-norm-bias", "false"},
                    {"norm-weight-decay", "-1"},
                    {"lars-eta", "0.001"},
                    {"lars-epsilon", "0"},
                    {"lars-skip-list", "norm,bias"},
                    {"rmsprop-epsilon", "0.001"},

                    {"clip-grad-norm", "0"},
                    {"clip-grad-value", "0"},
                    {"ema-decay", "0"},
                    {"eval-crop", "centre"},
                    {"eval-epochs", "1"},
                    {"checkpoint-epochs", "1"},
                    {"epoch-tail", "drop"},
                    {"exif-turn", "false"},
                    {"channel-order", "rgb"},
                    {"random-erase", "0"},
                    {"normalise", "mean-std"},
                    {"class-weights", ""}};
// Of the family's models, where neither recipe nor command line says.
float own_bn_momentum(const std::string& recipe) {
  return recipe.starts_with("graphcore/") ? 0.03f : 0.1f;
}

const std::vector<std::string> folders{(source_dir() / "configs").string()};

struct Resolved {
  RunConfig config;
  std::vector<Field> fields;
};

Resolved resolved(const std::string& recipe, const Settings& typed = {}) {
  Fields known({});
  RunConfig::describe_all(known);
  Settings settings = load_config(recipe, folders, known.all());
  for (const auto& [key, value] : typed) settings[key] = value;
  Fields field(settings);
  Resolved result;
  result.config.describe(field);
  field.finish(known.all());
  result.fields = field.all();
  return result;
}

bool is_same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::vector<double> x, y;
  if (!parse_value(a, x).empty() || !parse_value(b, y).empty() || x.size() != y.size())
    return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i] - y[i]) > 1e-6 * std::abs(y[i])) return false;
  }
  return true;
}

class RecipeFieldsCatalog : public testing::TestWithParam<std::string> {};

// Of every option: what the source says, or the default where it says nothing.
TEST_P(RecipeFieldsCatalog, AreThoseOfTheSource) {
  const Values& source = fields_of_sources.at(GetParam());
  std::set<std::string> seen;
  for (const Field& field : resolved(GetParam()).fields) {
    const auto wanted = source.find(field.key);
    if (wanted == source.end()) {
      EXPECT_TRUE(field.value.is_default()) << field.key << " is " << field.value.text;
      if (const auto unsaid = silent.find(field.key); unsaid != silent.end()) {
        EXPECT_TRUE(is_same_value(field.value.text, unsaid->second))
            << field.key << " is " << field.value.text << " by default";
      }
      if (field.key == "bn-momentum") {
        EXPECT_TRUE(is_same_value(field.value.text, fmt::format("{}", own_bn_momentum(GetParam()))))
            << field.value.text;
      }
      continue;
    }
    seen.insert(field.key);
    EXPECT_TRUE(is_same_value(field.value.text, wanted->second))
        << field.key << " is " << field.value.text << ", the source has " << wanted->second;
  }
  for (const auto& [key, value] : source) {
    EXPECT_TRUE(seen.contains(key)) << key << " " << value << " is not read";
  }
}

INSTANTIATE_TEST_SUITE_P(All, RecipeFieldsCatalog, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& [name, values] : fields_of_sources)
                             names.push_back(name);
                           return names;
                         }()),
                         [](const auto& given) {
                           std::string label = given.param;
                           for (char& c : label) c = std::isalnum(c) ? c : '_';
                           return label;
                         });

// A recipe whose source is another's has an entry above.
TEST(RecipeFields, AreCheckedOfEveryRecipeThatHasASource) {
  const std::set<std::string> own{"demo",
                                  "fine_tune",
                                  "detection/fine_tune",
                                  "detection/shapes",
                                  "cifar10/resnet20_10epochs",
                                  "cifar10/resnext29_10epochs",
                                  "cifar10/resnet20_lars",
                                  "cifar10/resnet20_sgd"};
  for (const std::string& name : list_recipes(folders)) {
    EXPECT_TRUE(fields_of_sources.contains(name) != own.contains(name)) << name;
  }
}

// Where the source's rate follows the batch, so does the recipe's.
TEST(RecipeRates, FollowTheBatchWhereTheSourcesDo) {
  const auto peak = [](const char* recipe, const Settings& typed) {
    const RunConfig config = std::move(resolved(recipe, typed).config);
    return config.lr.peak(config.step_shape().global_batch());
  };
  const auto typed = [](const char* key, const char* value) {
    return Settings{{key, {value, "command line"}}};
  };
  EXPECT_NEAR(peak("imagenet/resnext101_90epochs", typed("replicas", "64")), 8.192, 1e-9);
  EXPECT_NEAR(peak("imagenet/resnext101_90epochs", typed("replicas", "1")), 0.128, 1e-9);
  EXPECT_NEAR(peak("imagenet/resnext101_90epochs", typed("batch-size", "256")), 2.048, 1e-9);
  EXPECT_NEAR(peak("imagenet/keras_resnet50_sgd", typed("replicas", "16")), 1.6, 1e-9);
  EXPECT_NEAR(peak("imagenet/keras_resnet50_lars", typed("replicas", "16")), 9.5, 1e-9);
  EXPECT_NEAR(peak("graphcore/mk2_resnet50_bn_16ipus", typed("replicas", "8")), 4, 1e-9);
  EXPECT_NEAR(peak("graphcore/mk2_resnet50_mlperf_pod16", typed("replicas", "8")), 4.588, 1e-9);
  EXPECT_NEAR(peak("graphcore/mk2_resnet8_test", typed("batch-size", "64")), 1, 1e-9);
}

struct Expected {
  const char* recipe;
  int64_t samples;
  int64_t global_batch;
  int64_t steps_per_epoch;  // whole ones
  double peak;
  std::vector<std::pair<int64_t, double>> rates;  // by step
  int64_t total_steps = 0;                        // 0: the source does not say
};

constexpr int64_t imagenet = 1281167, cifar = 50000, coco = 117266;

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
    {"imagenet/resnet50",
     imagenet,
     256,
     5005,
     0.1,
     {{0, 0.1}, {150149, 0.1}, {150150, 0.01}, {300299, 0.01}, {300300, 0.001}},
     450450},
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
    {"ssd/resnet34",
     coco,
     128,
     917,
     0.012,
     {{0, 0}, {2292, 0.012 * 2292 / 4585}, {4585, 0.012}, {36679, 0.012}, {36680, 0.0012}},
     45850},
    {"ssd/resnet34_64epochs", coco, 128, 917, 0.012, {{45849, 0.0012}, {45850, 0.00012}}, 58688},
    {"ssd/resnet34_8workers",
     coco,
     1024,
     115,
     0.096,
     {{0, 0}, {575, 0.096}, {4599, 0.096}, {4600, 0.0096}, {5750, 0.00096}},
     7360},
    {"cifar10/resnet20_10epochs", cifar, 32, 1562, 0.5, {{0, 0.5}, {15000, 0.0005}}},
    {"cifar10/resnext29_10epochs", cifar, 8, 6250, 0.125, {{0, 0.125}, {60000, 0.000125}}},
    {"graphcore/mk2_resnet8_test",
     cifar,
     32,
     1562,
     0.5,
     {{0, 0}, {3906, 0.25}, {7813, 0.05}, {11719, 0.005}},
     15625},
    {"graphcore/mk2_resnet50_mlperf_pod16", imagenet, 2304, 556, 4.588, {}, 24466},
    {"graphcore/mk2_resnet50_mlperf_pod16_bs20", imagenet, 1920, 667, 3.824, {}, 26690},
    {"graphcore/mk2_resnet50_mlperf_pod64_bs20", imagenet, 2560, 500, 5.098, {}, 20518},
    {"graphcore/mk2_resnet50_mlperf_pod128_bs20", imagenet, 2048, 625, 4.078, {}, 25648},
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
    {"graphcore/mk1_resnet50_16ipus", imagenet, 1024, 1251, 0.5, {}, 81324},
    {"graphcore/mk2_resnext101_16ipus", imagenet, 768, 1668, 0.375, {}, 200182},
    {"imagenet/resnext101_250epochs", imagenet, 1024, 1251, 1.024, {}, 312784},
    {"graphcore/mk2_efficientnet_b4_g1_16ipus", imagenet, 768, 1668, 0.046875, {}, 583865},
    {"graphcore/mk2_efficientnet_b4_g1_64ipus", imagenet, 768, 1668, 0.046875, {}, 583865},
    {"graphcore/mk2_efficientnet_b4_g16_16ipus", imagenet, 800, 1601, 0.048828125, {}, 560510},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus", imagenet, 640, 2001, 0.0390625, {}, 700638},
    {"graphcore/mk2_efficientnet_b4_g16_64ipus_LARS", imagenet, 3040, 421, 4.19845, {}, 147502},
};

TEST(RecipeRates, AreThoseOfTheirAuthors) {
  for (const Expected& e : all) {
    SCOPED_TRACE(e.recipe);
    const RunConfig config = std::move(resolved(e.recipe).config);
    const int64_t batch = config.step_shape().global_batch();
    EXPECT_EQ(batch, e.global_batch);
    const EpochPlan epochs(e.samples, batch, config.epochs, config.data.tail());
    EXPECT_EQ(static_cast<int64_t>(epochs.steps_per_epoch()), e.steps_per_epoch);
    EXPECT_NEAR(config.lr.peak(batch), e.peak, 1e-5 * e.peak);
    EXPECT_EQ(e.total_steps > 0 ? epochs.total_steps() : 0, e.total_steps);
    for (const auto& [step, rate] : e.rates) {
      EXPECT_NEAR(config.lr.at(step, config.schedule_site(epochs)), rate, 1e-6 + 1e-4 * rate)
          << "step " << step;
    }
  }
}

}  // namespace
}  // namespace convoy::test
