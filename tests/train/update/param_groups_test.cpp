#include "train/update/param_groups.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

WeightDecay decay_of(Settings settings) {
  WeightDecay decay;
  Fields fields(settings);
  decay.describe(fields);
  fields.finish();
  return decay;
}

Setting typed(const char* text) { return {text, "command line"}; }

// (weights, biases, norms), as multiplied by the parameter.
std::array<float, 3> factors(const Settings& settings) {
  const WeightDecay decay = decay_of(settings);
  return {decay.of(ParamKind::weight), decay.of(ParamKind::bias), decay.of(ParamKind::norm)};
}

TEST(WeightDecay, IsForTheKindsThatEachStackNames) {
  using All = std::array<float, 3>;
  const Setting half = typed("0.5"), yes = typed("true");
  // PyTorch's of one group is decay-norm-bias; Habana's per-layer L2 has no half.
  EXPECT_EQ(factors({{"weight-decay", half}}), (All{0.5f, 0, 0}));
  EXPECT_EQ(factors({{"wd", half}, {"decay-norm-bias", yes}}), (All{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(factors({{"wd", half}, {"norm-weight-decay", typed("0.25")}}), (All{0.5f, 0, 0.25f}));
  EXPECT_EQ(
      factors({{"wd", half}, {"weight-decay-form", typed("square")}, {"bias-weight-decay", half}}),
      (All{1, 1, 0}));
  EXPECT_EQ(factors({{"wd", half}, {"single-l2-loss-op", yes}}), (All{0.5f, 0.5f, 0}));
}

TEST(WeightDecay, OfOneLossHasNoOtherForm) {
  const Setting yes = typed("true");
  for (const auto& [key, text] : {std::pair{"weight-decay-form", "square"},
                                  {"decay-norm-bias", "true"},
                                  {"norm-weight-decay", "1e-4"},
                                  {"bias-weight-decay", "0"}}) {
    test::expect_raises(Fault::usage, {"single-l2-loss-op", key}, [&] {
      decay_of({{"single-l2-loss-op", yes}, {key, typed(text)}});
    });
  }
}

}  // namespace
}  // namespace convoy
