// Weights in 16 bits, fp16, and loss scales: the recipe alone fixes the result.

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "support/processes.h"
#include "tensor/number_types.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::tiny;
using test::TinyRun;

const std::vector<Arguments> precisions{
    {"--precision", "16.16"},
    {"--precision", "16.16", "--dtype", "fp16"},
    {"--dtype", "fp16", "--loss-scale", "dynamic", "--loss-scale-growth-steps", "1"}};

std::span<const float> floats_of(const TensorEntry& tensor) {
  if (tensor.dtype != DType::f32) return {};  // num_batches_tracked
  return {reinterpret_cast<const float*>(tensor.data.data()), tensor.data.size() / sizeof(float)};
}

TEST(HalfRun, ThreadsReplicaModesAndInterruptionsChangeNoBit) {
  for (const Arguments& precision : precisions) {
    const auto with = [&](const Arguments& more) {
      return tiny(joined(joined({"--max-steps", "2", "--checkpoint-steps", "1", "--replicas", "2",
                                 "--batch-size", "8", "--optimizer", "lars"},
                                precision),
                         more));
    };
    const TinyRun whole(with({})), one(with({"--threads", "1"})),
        three(with({"--threads", "3", "--replica-mode", "sequence"})), cut(with({}));
    const std::string hash = test::weights_hash_of(whole.whole().dir());
    EXPECT_EQ(test::weights_hash_of(one.whole().dir()), hash) << testing::PrintToString(precision);
    EXPECT_EQ(test::weights_hash_of(three.whole().dir()), hash)
        << testing::PrintToString(precision);
    cut.whole();
    cut.take_back_the_last_step();
    const Finished end = run_convoy(TinyRun::resume(), cut.folder());
    ASSERT_EQ(end.code, 0) << end.err;
    test::expect_equal(test::run_record(cut.dir()), test::run_record(whole.dir()));
  }
}

TEST(HalfDist, RanksChangeNoBit) {
  for (const Arguments& precision : precisions) {
    const Arguments recipe =
        test::processes_recipe(joined({"--shard-optimizer", "--max-steps", "3"}, precision));
    const test::ProcessesRun alone(0, recipe);
    for (const int processes : {2, 3}) {
      EXPECT_EQ(test::ProcessesRun(processes, recipe).hash(), alone.hash())
          << processes << testing::PrintToString(precision);
    }
  }
}

// All weights and buffers are numbers of the type, but for the norms, and evaluations agree.
TEST(HalfRun, WeightsAndBuffersAreNumbersOfTheTypeAndSayTheirPrecision) {
  for (const bool is_fp16 : {false, true}) {
    const TinyRun run(
        tiny({"--max-steps", "2", "--precision", "16.16", "--dtype", is_fp16 ? "fp16" : "bf16"}));
    run.whole();
    const auto fits = [&](float x) {
      return is_fp16 ? widened(rounded_to<F16>(x)) == x : widened(rounded_to<Bf16>(x)) == x;
    };
    for (const char* file : {"model", "optimizer"}) {
      const SafetensorsFile tensors = SafetensorsFile::read(run.dir() / "checkpoints/last" /
                                                            (std::string(file) + ".safetensors"));
      int others = 0, kept = 0;
      for (const TensorEntry& tensor : tensors.tensors()) {
        const std::string& name = tensor.name;
        const bool is_kept = name.find("conv") != name.npos || name.find("fc") != name.npos;
        for (const float x : floats_of(tensor)) {
          if (is_kept) {
            EXPECT_TRUE(fits(x)) << name << " " << x;
            ++kept;
          } else {
            others += !fits(x);
          }
        }
      }
      EXPECT_GT(kept, 1000);
      EXPECT_GT(others, 10) << "norms stay in fp32";
    }
    const Json last = test::events(run.dir(), "eval").back();
    const Finished alone = run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, run.folder());
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_EQ(Json::parse(alone.out).at("loss").dump(), last.at("loss").dump());
  }
}

// The scale grows until a gradient overflows, and that step changes nothing.
TEST(HalfRun, ADynamicScaleGrowsUntilAnOverflowAndGoesOn) {
  const TinyRun run(tiny({"--epochs", "2", "--dtype", "fp16", "--loss-scale", "dynamic",
                          "--loss-scale-growth-steps", "1"}));
  run.whole();
  const std::vector<Json> events = test::events(run.dir(), "loss_scale");
  int overflows = 0;
  double before = 32768;
  for (const Json& event : events) {
    const auto scale = event.at("scale").get<double>();
    const bool overflow = event.at("overflow").get<bool>();
    overflows += overflow;
    EXPECT_EQ(scale, overflow ? before / 2 : before * 2);
    before = scale;
  }
  EXPECT_GT(overflows, 0);
  EXPECT_LT(overflows, std::ssize(events));
  EXPECT_TRUE(test::events(run.dir(), "nonfinite").empty());
}

// Gradients of 1e-7 and below are zero in fp16 but for a scale.
TEST(HalfRun, GradientsUnderflowInFp16WithoutAScale) {
  const Arguments recipe =
      tiny({"--max-steps", "2", "--dtype", "fp16", "--weight-decay", "0", "--class-weights",
            "1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9", "--lr", "1e6"});
  const auto moves = [](const TinyRun& run) {
    const SafetensorsFile optimizer =
        SafetensorsFile::read(run.whole().dir() / "checkpoints/last/optimizer.safetensors");
    double sum = 0;
    for (const TensorEntry& tensor : optimizer.tensors()) {
      if (tensor.name.find("conv") == tensor.name.npos) continue;
      for (const float x : floats_of(tensor)) sum += std::abs(static_cast<double>(x));
    }
    return sum;
  };
  const TinyRun none(joined(recipe, {"--loss-scale", "1"}));
  const TinyRun scaled(joined(recipe, {"--loss-scale", "1e6"}));
  EXPECT_EQ(moves(none), 0);
  EXPECT_GT(moves(scaled), 0);
}

}  // namespace
}  // namespace convoy
