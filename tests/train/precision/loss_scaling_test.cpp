#include "train/precision/loss_scaling.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "train/precision/precision.h"
#include "train/run/run_progress.h"

namespace convoy {
namespace {

using test::expect_raises;
using enum LossScaling::Verdict;

constexpr LossScaling::Step good{true, true}, bad_gradient{true, false}, bad_loss{false, true};

LossScaling read(const Settings& settings, FloatKind dtype = FloatKind::fp32) {
  Fields field(settings);
  LossScaling scaling;
  Precision precision;
  precision.dtype = dtype;
  scaling.describe(field, precision);
  field.finish();
  return scaling;
}

Settings typed(const std::string& key, const std::string& text) {
  return {{key, {text, "command line"}}};
}

TEST(LossScaling, TheDefaultIsThatOfTheType) {
  EXPECT_EQ(read({}).scale, 1);
  EXPECT_EQ(read({}, FloatKind::bf16).scale, 1);
  EXPECT_EQ(read({}, FloatKind::fp16).scale, 128);
  EXPECT_EQ(read(typed("loss-scale", "512"), FloatKind::fp16).scale, 512);
  EXPECT_EQ(read(typed("loss-scaling", "64")).scale, 64);
  EXPECT_FALSE(read({}).dynamic);
  EXPECT_TRUE(read(typed("loss-scale", "dynamic")).dynamic);
}

TEST(LossScaling, WhatIsNoScaleIsRefused) {
  for (const char* text : {"0", "-1", "nan", "inf", "static", "1e38", ""}) {
    expect_raises(Fault::usage, {"--loss-scale", "dynamic"},
                  [&] { read(typed("loss-scale", text)); });
  }
  expect_raises(Fault::usage, {"loss-scale-growth-steps", "--loss-scale dynamic"},
                [] { read(typed("loss-scale-growth-steps", "10")); });
  expect_raises(Fault::usage, {"--fp-exceptions", "--loss-scale 128"}, [] {
    read(
        {{"loss-scale", {"dynamic", "command line"}}, {"fp-exceptions", {"true", "command line"}}});
  });
}

TEST(LossScaling, ADynamicScaleGrowsAndIsHalved) {
  LossScaling scaling{.scale = 32768, .dynamic = true, .growth_steps = 3};
  ScaleProgress p;
  p.loss_scale = 32768;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(p.loss_scale, 32768);
  EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(p.loss_scale, 65536);
  EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(scaling.judge(bad_gradient, p), rescale);
  EXPECT_EQ(p.loss_scale, 32768);
  EXPECT_EQ(p.skipped, 1);
  // The count starts again.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(p.loss_scale, 32768);
  EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(p.loss_scale, 65536);
}

// A scale of 1 is none: then the gradients themselves are not finite. So is a loss.
TEST(LossScaling, WhatNoScaleHelpsIsADivergence) {
  LossScaling scaling{.dynamic = true};
  ScaleProgress p;
  p.loss_scale = 2;
  EXPECT_EQ(scaling.judge(bad_gradient, p), rescale);
  EXPECT_EQ(p.loss_scale, 1);
  EXPECT_EQ(scaling.judge(bad_gradient, p), stop);
  p.loss_scale = 1024;
  EXPECT_EQ(scaling.judge(bad_loss, p), stop);
  EXPECT_EQ(p.loss_scale, 1024);
  EXPECT_EQ(LossScaling{}.judge(bad_gradient, p), stop);
}

TEST(LossScaling, SkippingEndsAfterAHundredStepsInARow) {
  const LossScaling scaling{.on_nonfinite = OnNonFinite::skip};
  ScaleProgress p;
  for (int i = 0; i < 99; ++i) EXPECT_EQ(scaling.judge(i % 2 ? bad_loss : bad_gradient, p), skip);
  EXPECT_EQ(p.skipped, 99);
  EXPECT_EQ(scaling.judge(bad_loss, p), stop);
  p.skipped_in_row = 99;
  EXPECT_EQ(scaling.judge(good, p), go_on);
  EXPECT_EQ(scaling.judge(bad_loss, p), skip);
}

}  // namespace
}  // namespace convoy
