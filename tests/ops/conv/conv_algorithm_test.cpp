// The choice of an algorithm: clear cases only, so that a new fit of the rates need not touch them.

#include "ops/conv/conv_algorithm.h"

#include <gtest/gtest.h>

#include "ops/conv/algorithm_rules.h"
#include "ops/conv/conv_name.h"
#include "support/raises.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

constexpr ConvAlgorithm direct = ConvAlgorithm::direct, f2 = ConvAlgorithm::winograd_f2,
                        f4 = ConvAlgorithm::winograd_f4;

ConvAlgorithm choice(const std::string& name, ConvPass pass, const Choices& choices = {},
                     Isa level = isa_level()) {
  return choose_algorithm(*conv_by_name(name), pass, choices, level);
}

Choices ruled(const std::vector<std::string>& rules, Winograd winograd = Winograd::automatic) {
  Choices choices{.winograd = winograd, .rules = {}};
  for (const std::string& rule : rules) choices.rules.push_back(parse_rule(rule, "here"));
  return choices;
}

TEST(ConvAlgorithm, LargeTilesForManyChannelsAndPixels) {
  for (const Isa level : {Isa::avx2, Isa::avx512, Isa::avx512_bf16}) {
    for (const char* name :
         {"64@56x56->64/3x3/s1/p1", "128@28x28->128/3x3/s1/p1", "64@75x75->64/3x3/s1/p1",
          "128@38x38->128/3x3/s1/p1", "64@32x32->64/3x3/s1/p1", "64@8x8->64/3x3/s1/p1"}) {
      for (const ConvPass pass : conv_passes) {
        EXPECT_EQ(choice(name, pass, {}, level), f4) << name << " " << pass_name(pass);
      }
    }
  }
}

TEST(ConvAlgorithm, SmallTilesWhereLargeOnesWouldBeMostlyEmpty) {
  for (const Isa level : {Isa::avx2, Isa::avx512}) {
    EXPECT_EQ(choice("512@2x2->512/3x3/s1/p1", ConvPass::forward, {}, level), f2);
  }
}

TEST(ConvAlgorithm, OtherWindowsStridesAndGroupsAreDirect) {
  for (const char* name :
       {"64@56x56->64/1x1/s1/p0", "64@56x56->64/3x3/s2/p1", "64@56x56->64/5x5/s1/p2",
        "64@56x56->64/3x3/s1/p1/g2", "64@56x56->64/3x3/s1/p3", "64@56x56->64/1x3/s1/p0.1.0.1"}) {
    for (const ConvPass pass : conv_passes) {
      EXPECT_EQ(choice(name, pass), direct) << name;
      EXPECT_FALSE(can_compute(f4, *conv_by_name(name), pass)) << name;
    }
  }
  ConvShape plain = *conv_by_name("64@56x56->64/3x3/s1/p1");
  plain.x = Layout::plain;
  EXPECT_EQ(choose_algorithm(plain, ConvPass::forward, {}), direct);
}

TEST(ConvAlgorithm, WinogradF2AndOffLimitTheChoice) {
  const char* name = "64@56x56->64/3x3/s1/p1";
  for (const ConvPass pass : conv_passes) {
    EXPECT_EQ(choice(name, pass, {.winograd = Winograd::f2, .rules = {}}), f2);
    EXPECT_EQ(choice(name, pass, {.winograd = Winograd::off, .rules = {}}), direct);
  }
}

TEST(ConvAlgorithm, DoesNotDependOnTheBatch) {
  for (const char* name : {"64@56x56->64/3x3/s1/p1", "16@32x32->16/3x3/s1/p1",
                           "512@7x7->512/3x3/s1/p1", "64@4x4->64/3x3/s1/p1"}) {
    for (const ConvPass pass : conv_passes) {
      ConvShape s = *conv_by_name(name);
      const ConvAlgorithm one = choose_algorithm(s, pass, {});
      for (const int64_t images : {2, 16, 33, 1000}) {
        s.n = images;
        EXPECT_EQ(choose_algorithm(s, pass, {}), one) << name << " " << images;
      }
    }
  }
}

// Instructions for bf16 change nothing in fp32; without them bf16 storage changes no choice.
TEST(ConvAlgorithm, DependsOnBf16WhereItIsMultiplied) {
  for (const char* name : {"64@56x56->64/3x3/s1/p1", "256@14x14->256/3x3/s1/p1",
                           "16@32x32->16/3x3/s1/p1", "512@7x7->512/3x3/s1/p1"}) {
    for (const ConvPass pass : conv_passes) {
      const std::string narrow = std::string(name) + "/bf16";
      EXPECT_EQ(choice(name, pass, {}, Isa::avx512_bf16), choice(name, pass, {}, Isa::avx512));
      EXPECT_EQ(choice(name, pass, {}, Isa::amx), choice(name, pass, {}, Isa::avx512));
      EXPECT_EQ(choice(narrow, pass, {}, Isa::avx512), choice(name, pass, {}, Isa::avx512));
      EXPECT_EQ(choice(narrow, pass, {}, Isa::avx2), choice(name, pass, {}, Isa::avx2));
    }
  }
}

TEST(ConvAlgorithm, OfEqualCostsTheFirstIsTaken) {
  using Costs = std::vector<std::optional<int64_t>>;
  EXPECT_EQ(cheapest(Costs{7, 7, 7}), direct);
  EXPECT_EQ(cheapest(Costs{8, 7, 7}), f2);
  EXPECT_EQ(cheapest(Costs{8, 7, 6}), f4);
  EXPECT_EQ(cheapest(Costs{{}, 7, 7}), f2);
  EXPECT_EQ(cheapest(Costs{{}, {}, 7}), f4);
  EXPECT_EQ(cheapest(Costs{{}, {}, {}}), direct);
}

TEST(ConvAlgorithm, NamesComeBack) {
  for (const ConvAlgorithm a : conv_algorithms()) {
    EXPECT_EQ(algorithm_by_name(algorithm_name(a)), a);
  }
  EXPECT_FALSE(algorithm_by_name("winograd"));
}

TEST(ConvAlgorithm, TheFirstRuleThatFitsCountsAndGoesBeforeWinograd) {
  const Choices choices = ruled({"forward 64@56x56->64/3x3/s1/p1 winograd:f2",
                                 "forward *@56x56->* direct", "grad_* *->64/3x3/s1/p? winograd:f4"},
                                Winograd::off);
  EXPECT_EQ(choice("64@56x56->64/3x3/s1/p1", ConvPass::forward, choices), f2);
  EXPECT_EQ(choice("32@56x56->64/3x3/s1/p1", ConvPass::forward, choices), direct);
  EXPECT_EQ(choice("32@56x56->64/3x3/s1/p1", ConvPass::grad_weights, choices), f4);
  EXPECT_EQ(choice("64@28x28->32/3x3/s1/p1", ConvPass::grad_input, choices), direct)
      << "no rule: --winograd off";
  EXPECT_EQ(deciding_rule(*conv_by_name("64@28x28->32/3x3/s1/p1"), ConvPass::forward, choices),
            nullptr);
}

TEST(ConvAlgorithm, APatternDecidesOnlyWhereItsAlgorithmCan) {
  const Choices choices = ruled({"* * winograd:f2", "* * direct"});
  EXPECT_EQ(choice("64@56x56->64/3x3/s1/p1", ConvPass::forward, choices), f2);
  EXPECT_EQ(choice("64@56x56->64/1x1/s1/p0", ConvPass::forward, choices), direct);
}

TEST(ConvAlgorithm, AnExactRuleThatCannotBeFollowedIsAnError) {
  // By its name alone it could be: what is plain is known only in the graph.
  ConvShape image = *conv_by_name("3@32x32->16/3x3/s1/p1");
  image.x = Layout::plain;
  const Choices choices = ruled({"forward 3@32x32->16/3x3/s1/p1 winograd:f4"});
  test::expect_raises(Fault::usage, {"here: winograd:f4", "3@32x32->16/3x3/s1/p1", "try: direct"},
                      [&] { choose_algorithm(image, ConvPass::forward, choices); });
}

}  // namespace
}  // namespace convoy::ops
