// Batch norm over a group of replicas, by itself: two executors in lockstep must compute what one
// plan computes for both batches.

#include "ops/norm/batch_norm_span.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "engine/collectives.h"
#include "ops/cases.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/norm/batch_norm.h"
#include "ops/vocabulary.h"
#include "support/session.h"

namespace convoy::test {
namespace {

constexpr int64_t images = 3, channels = 20, side = 5, replicas = 2;
constexpr int64_t per_replica = images * channels * side * side;

// relu(bn(x) + x) * weight: with a fused sum and activation. x is a parameter, so that it gets a
// gradient.
Graph network(int64_t n, Value& loss, Value& loss_scale) {
  Graph graph;
  Builder b(graph);
  const Shape shape{n, channels, side, side};
  loss_scale = b.input("loss_scale", {Shape{}});
  const Value x = b.param("x", shape, {}), weight = b.input("weight", {shape});
  const Value y =
      ops::batch_norm(b, x,
                      {b.param("gamma", {channels}, {}), b.param("beta", {channels}, {}),
                       b.stat("mean", {channels}, 0), b.stat("variance", {channels}, 1)});
  const Value out = ops::relu(b, ops::add(b, y, x));
  loss = ops::multiply(b, out, weight);
  b.output("out", out);
  b.output("loss", loss);
  return graph;
}

Plan network_plan(int64_t n, int64_t span, DType storage = DType::f32) {
  Value loss, loss_scale;
  Graph graph = network(n, loss, loss_scale);
  CompileOptions options{.losses = {{loss}}, .loss_scale = loss_scale};
  options.vocabulary = ops::vocabulary();
  if (storage == DType::bf16) options.storage = narrowed_ops();
  if (span) options.distribute = [=](Graph& g) { ops::insert_span_exchanges(g, span); };
  return compile(std::move(graph), options);
}

std::set<std::string> ops_of_span() {
  std::set<std::string> names = ops_in(network_plan(images, replicas).graph);
  names.merge(ops_in(network_plan(images, replicas, DType::bf16).graph));
  return names;
}
const RegisteredOps registered(ops_of_span);

// Gives every member the vectors of all members.
class Together final : public Collectives {
 public:
  void begin(const Collective&, std::span<Executor* const> members, size_t op) override {
    given_.clear();
    for (const Executor* member : members) {
      given_.push_back(member->input_of(op, 0));
      const Plan& plan = member->plan();
      const Value in = plan.graph.node(plan.ops[op].node).in[0];
      bytes_ = stored_bytes(plan.graph.type(in));
    }
  }
  void end(const Collective&, std::span<Executor* const> members, size_t op) override {
    for (const Executor* member : members) {
      for (size_t i = 0; i < given_.size(); ++i) {
        std::copy_n(given_[i], bytes_, member->input_of(op, 0) + i * bytes_);
      }
    }
  }
  void progress() override {}

 private:
  std::vector<const std::byte*> given_;
  size_t bytes_ = 0;
};

struct Member {
  explicit Member(const Plan& made)
      : state(made.state, 0, false),
        workspace(std::array{&made}, 2),
        executor(made, state, workspace, pool(2)) {
    state.initialize(1);
  }
  std::span<float> slot(const std::vector<StateLayout::Slot>& slots, std::span<float> all,
                        const std::string& name) {
    for (const StateLayout::Slot& each : slots) {
      if (each.name == name) {
        return all.subspan(static_cast<size_t>(each.offset), static_cast<size_t>(each.count));
      }
    }
    return {};
  }
  std::span<float> param(const Plan& p, const std::string& name) {
    return slot(p.state.params, state.params(), name);
  }
  std::span<float> grad(const Plan& p, const std::string& name) {
    return slot(p.state.params, state.grads(), name);
  }
  std::span<float> batch_stat(const Plan& p, const std::string& name) {
    return slot(p.state.stats, state.batch_stats(), name);
  }

  State state;
  Workspace workspace;
  Executor executor;
};

std::vector<float> numbers(int64_t count, uint64_t seed) {
  Random random(random_key(seed, Purpose::generated));
  std::vector<float> all(static_cast<size_t>(count));
  for (float& x : all) x = static_cast<float>(random.normal() + 0.5);
  return all;
}

// The two plans of one storage: a group and one larger batch.
void expect_group_is_one_batch(DType storage) {
  // With bf16 a sum that differs in its last bit can be rounded to the neighbour.
  const double bound = storage == DType::bf16 ? 1.0 / 64 : 2e-5;
  const auto expect_near = [&](std::span<const float> got, const float* wanted, const char* what) {
    ASSERT_FALSE(got.empty()) << what;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted[i], bound * (1 + std::abs(wanted[i]))) << what << " " << i;
    }
  };
  const auto x = numbers(replicas * per_replica, 1), weight = numbers(replicas * per_replica, 2);
  const auto gamma = numbers(channels, 3), beta = numbers(channels, 4);
  const auto fill = [&](Member& member, const Plan& plan, int64_t first, int64_t count) {
    std::copy_n(x.data() + first, count, member.param(plan, "x").data());
    std::ranges::copy(gamma, member.param(plan, "gamma").data());
    std::ranges::copy(beta, member.param(plan, "beta").data());
    member.executor.bind("weight", weight.data() + first);
  };
  const Plan whole_plan = network_plan(replicas * images, 0, storage);
  Member whole(whole_plan);
  fill(whole, whole_plan, 0, replicas * per_replica);
  const float one = 1, half = 0.5f;  // a loss is the mean over the images of its plan
  whole.executor.bind("loss_scale", &one);
  whole.executor.run();

  const Plan plan = network_plan(images, replicas, storage);
  Member first(plan), second(plan);
  Executor* const both[] = {&first.executor, &second.executor};
  Together together;
  for (Member* member : {&first, &second}) {
    fill(*member, plan, member == &first ? 0 : per_replica, per_replica);
    member->executor.bind("loss_scale", &half);
    member->executor.connect(&together);
  }
  Executor::run(both, Executor::Parameters::changed);

  for (Member* member : {&first, &second}) {
    const int64_t at = member == &first ? 0 : per_replica;
    const float* out = member->executor.output("out");
    expect_near({out, static_cast<size_t>(per_replica)}, whole.executor.output("out") + at, "out");
    expect_near(member->grad(plan, "x"), whole.grad(whole_plan, "x").data() + at, "d x");
    for (const char* stat : {"mean", "variance"}) {
      expect_near(member->batch_stat(plan, stat), whole.batch_stat(whole_plan, stat).data(), stat);
    }
  }
  // Both have the same bits, and each the part of its own images in the parameters' gradients.
  EXPECT_TRUE(
      std::ranges::equal(first.batch_stat(plan, "variance"), second.batch_stat(plan, "variance")));
  for (const char* name : {"gamma", "beta"}) {
    std::vector<float> sum(channels);
    for (size_t c = 0; c < sum.size(); ++c) {
      sum[c] = first.grad(plan, name)[c] + second.grad(plan, name)[c];
    }
    expect_near(sum, whole.grad(whole_plan, name).data(), name);
  }
}

TEST(BatchNormSpan, AGroupComputesWhatOneLargerBatchDoes) { expect_group_is_one_batch(DType::f32); }
TEST(BatchNormSpan, AGroupComputesWhatOneLargerBatchDoesInBf16) {
  expect_group_is_one_batch(DType::bf16);
}

TEST(BatchNormSpan, EachNormBecomesTwoOpsAndAnExchangeInEachDirection) {
  const Plan plan = network_plan(images, replicas);
  for (const char* op :
       {"batch_norm_sums", "batch_norm_apply", "batch_norm_grad_sums", "batch_norm_grad_apply"}) {
    EXPECT_EQ(count_ops(plan.graph, op), 1) << op;
  }
  EXPECT_EQ(count_ops(plan.graph, "span_begin"), 2);
  EXPECT_EQ(count_ops(plan.graph, "span_end"), 2);
  EXPECT_EQ(count_ops(plan.graph, "batch_norm"), 0);
  EXPECT_EQ(count_ops(plan.graph, "batch_norm_grad"), 0);
}

TEST(BatchNormSpan, FrozenStatisticsNeedNoExchange) {
  Value loss, loss_scale;
  Graph graph = network(images, loss, loss_scale);
  ops::freeze_statistics(graph, [](const std::string&) { return true; });
  CompileOptions options{.losses = {{loss}}, .loss_scale = loss_scale};
  options.vocabulary = ops::vocabulary();
  options.distribute = [](Graph& g) { ops::insert_span_exchanges(g, replicas); };
  const Plan plan = compile(std::move(graph), options);
  EXPECT_EQ(count_ops(plan.graph, "span_begin"), 0);
}

}  // namespace
}  // namespace convoy::test
