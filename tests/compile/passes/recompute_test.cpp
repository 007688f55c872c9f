// Computing activations again changes the memory of a plan and none of its results.

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "ops/vocabulary.h"
#include "support/batch.h"
#include "support/session.h"
#include "support/small_net.h"

namespace convoy::test {
namespace {

constexpr int64_t batch = 4, size = 32;

Plan net_plan(RecomputeRule rule, bool bf16 = false, bool packs_once = false) {
  Graph graph;
  Builder b(graph);
  const SmallNet net = small_net(b, batch, size);
  CompileOptions options{.losses = {{net.loss}},
                         .loss_scale = net.loss_scale,
                         .vocabulary = ops::vocabulary(),
                         .watch = {},
                         .packs_once = packs_once,
                         .storage = {},
                         .recompute = rule,
                         .distribute = {}};
  options.storage.bf16 = bf16;
  return compile(std::move(graph), options);
}

int made_again(const Plan& plan) {
  int count = 0;
  for (const PlanOp& op : plan.ops) count += plan.graph.node(op.node).again_of >= 0;
  return count;
}

// Everything that a step computes, to the bit.
std::vector<float> results_of(Plan compiled) {
  Session session(std::move(compiled));
  session.state().initialize(3);
  std::vector<float> image(batch * 3 * size * size);
  Random random(random_key(5, Purpose::generated, 0));
  for (float& x : image) x = static_cast<float>(random.normal());
  const std::vector<int32_t> label{0, 1, 2, 3};
  const std::vector<int64_t> key{10, 11, 12, 13};
  const float scale = 1;
  session.bind("image", image.data());
  session.bind("label", label.data());
  session.bind("key", key.data());
  session.bind("loss_scale", &scale);
  session.run();
  std::vector<float> all = session.output("loss");
  const auto append = [&](std::span<float> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const Param& p : session.plan().graph.params) append(session.grad(p.name));
  for (const Stat& s : session.plan().graph.stats) append(session.batch_stat(s.name));
  return all;
}

TEST(Recompute, GivesTheSameBitsInLessMemory) {
  for (const bool bf16 : {false, true}) {
    const Plan all_kept = net_plan({}, bf16);
    EXPECT_EQ(made_again(all_kept), 0);
    const size_t kept_bytes = all_kept.least_bytes;
    const std::vector<float> expected = results_of(net_plan({}, bf16));
    size_t last = kept_bytes;
    for (const Recompute mode : {Recompute::cheap, Recompute::blocks}) {
      Plan plan = net_plan({.mode = mode}, bf16);
      EXPECT_GT(made_again(plan), 0) << word_of(mode);
      EXPECT_LT(plan.least_bytes, last) << word_of(mode);
      EXPECT_EQ(plan.flops_again > 0, mode == Recompute::blocks) << word_of(mode);
      last = plan.least_bytes;
      const std::vector<float> found = results_of(std::move(plan));
      ASSERT_EQ(found.size(), expected.size());
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0)
          << word_of(mode) << " bf16 " << bf16;
    }
  }
}

TEST(Recompute, OffersLessTimeForMoreMemory) {
  const size_t most = net_plan({}).least_bytes;
  const Plan fewest = net_plan({.mode = Recompute::blocks});
  double again = fewest.flops_again;
  const std::vector<float> expected = results_of(net_plan({}));
  for (int tenths = 4; tenths <= 11; ++tenths) {
    const auto limit = static_cast<int64_t>(most) * tenths / 10;
    Plan plan = net_plan({.mode = Recompute::automatic, .most_bytes = limit});
    EXPECT_LE(plan.flops_again, again) << tenths;
    again = plan.flops_again;
    // The estimate that the choice is made by is near the truth.
    if (limit > static_cast<int64_t>(fewest.least_bytes)) {
      EXPECT_LE(static_cast<double>(plan.least_bytes), 1.06 * static_cast<double>(limit)) << tenths;
    }
    EXPECT_EQ(results_of(std::move(plan)), expected) << tenths;
  }
  EXPECT_EQ(again, 0) << "everything fits";
}

TEST(Recompute, ConvolutionsThatRunTwicePackTheirParametersOnce) {
  const Plan plain = net_plan({}, false, true),
             twice = net_plan({.mode = Recompute::blocks}, false, true);
  EXPECT_GT(twice.flops_again, 0);
  EXPECT_GT(plain.packed_bytes, 0u);
  EXPECT_EQ(twice.packed_bytes, plain.packed_bytes);
}

TEST(Recompute, NothingIsMadeAgainWithoutABackwardPass) {
  Graph graph;
  Builder b(graph, false);
  small_net(b, batch, size);
  CompileOptions options{.vocabulary = ops::vocabulary(), .recompute = {.mode = Recompute::blocks}};
  EXPECT_EQ(made_again(compile(std::move(graph), options)), 0);
}

}  // namespace
}  // namespace convoy::test
