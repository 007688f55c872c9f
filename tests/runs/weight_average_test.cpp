// Averages of weights that a run keeps, against the checkpoints it saved on its way.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/run_files.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

using Values = std::map<std::string, std::vector<double>>;

// All floats of a file: parameters and statistics.
Values values_of(const fs::path& file) {
  const SafetensorsFile all = SafetensorsFile::read(file);
  Values values;
  for (const TensorEntry& tensor : all.tensors()) {
    if (tensor.dtype != DType::f32) continue;
    std::vector<float> floats(static_cast<size_t>(tensor.shape.count()));
    std::memcpy(floats.data(), tensor.data.data(), floats.size() * sizeof(float));
    values[tensor.name].assign(floats.begin(), floats.end());
  }
  EXPECT_GT(values.size(), 20u);
  return values;
}

Values model_at(const fs::path& run, int64_t step) {
  return values_of(run / fmt::format("checkpoints/step-{:07}/model.safetensors", step));
}
Values average_at(const fs::path& run, int64_t step) {
  return values_of(run / fmt::format("checkpoints/step-{:07}/ema.safetensors", step));
}

void blend(Values& average, double decay, const Values& other) {
  for (const auto& [name, values] : other) {
    std::vector<double>& target = average[name];
    target.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      target[i] = decay * target[i] + (1 - decay) * values[i];
    }
  }
}

void expect_near(const Values& actual, const Values& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [name, values] : expected) {
    const std::vector<double>& have = actual.at(name);
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(have[i], values[i], 1e-6 * std::max(1.0, std::abs(values[i]))) << name << i;
    }
  }
}

// 16 steps an epoch.
TEST(WeightAverageRun, SwaIsTheMeanOfTheEndsOfEpochs) {
  const TinyRun run(tiny({"--epochs", "5", "--swa-start-epoch", "2", "--swa-lr", "0.03125",
                          "--checkpoint-keep", "9", "--log-steps", "1"}));
  run.whole();
  Values mean = model_at(run.dir(), 48);
  blend(mean, 1.0 / 2, model_at(run.dir(), 64));
  blend(mean, 2.0 / 3, model_at(run.dir(), 80));
  expect_near(average_at(run.dir(), 80), mean);
  const Values written = values_of(run.dir() / "weights/swa.safetensors");
  EXPECT_EQ(written, average_at(run.dir(), 80));
  EXPECT_NE(written, model_at(run.dir(), 80));
  // The average is evaluated as soon as there is one.
  int averages = 0;
  for (const Json& event : test::events(run.dir(), "eval")) averages += event.value("ema", false);
  EXPECT_EQ(averages, 3);
  for (const Json& event : test::events(run.dir(), "train")) {
    const bool late = event.at("step").get<int64_t>() > 32;
    EXPECT_EQ(event.at("lr").get<double>() == 0.03125, late) << event;
  }
}

// Its rule written out: copies while the rate warms up and once after, then 1 - (1 - d) * batch *
// steps / epochs; after the first of every four steps of an epoch.
TEST(WeightAverageRun, ModelEmaFollowsTorchvision) {
  const TinyRun run(
      tiny({"--epochs", "3", "--warmup-epochs", "1", "--model-ema", "--model-ema-decay", "0.996",
            "--model-ema-steps", "4", "--checkpoint-steps", "1", "--checkpoint-keep", "99"}));
  run.whole();
  Values average;
  bool copies = true;
  for (int64_t step = 0; step < 48; ++step) {
    if (step % 16 % 4 == 0) {
      blend(average, copies ? 0 : 1 - 0.004 * 16 * 4 / 3, model_at(run.dir(), step + 1));
      copies = step < 16;
    }
    if (step == 15 || step == 20 || step == 47) {
      SCOPED_TRACE(step);
      expect_near(average_at(run.dir(), step + 1), average);
    }
  }
}

TEST(WeightAverageRun, ResumesExactly) {
  for (const Arguments& more :
       {Arguments{"--swa-start-epoch", "1", "--swa-lr", "0.02"},
        Arguments{"--model-ema", "--ema-decay", "0.99", "--ema-steps", "3", "--warmup-epochs", "1"},
        Arguments{"--mixup-alpha", "0.2", "--cutmix-alpha", "1", "--ema-decay", "0.9",
                  "--ema-warmup", "ramp"}}) {
    const test::TempFolder folder;
    const test::Finished end =
        test::run_convoy(joined({"train", "--verify-resume"},
                                tiny(joined({"--epochs", "3", "--checkpoint-steps", "5"}, more))),
                         folder.path());
    EXPECT_EQ(end.code, 0) << end.err << end.out;
    EXPECT_NE(end.out.find("equal: weights"), std::string::npos) << end.out;
  }
}

}  // namespace
}  // namespace convoy
