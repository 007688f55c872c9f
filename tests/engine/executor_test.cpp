#include "engine/executor.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "kernels/sums.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/cast.h"
#include "ops/linear.h"
#include "ops/pooling.h"
#include "ops/vocabulary.h"
#include "support/batch.h"
#include "support/session.h"
#include "support/small_net.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

Plan net_plan(int64_t batch, int64_t size, bool train, int replicas = 1, int64_t width = 16) {
  Graph graph;
  graph.replicas = replicas;
  Builder b(graph, train);
  const SmallNet net = small_net(b, batch, size, width);
  if (!train) return plan(std::move(graph));
  return plan(std::move(graph), {{net.loss}}, net.loss_scale);
}

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

std::vector<float> result(const Executor& e, const char* name) {
  const float* data = e.output(name);
  return {data, data + e.output_type(name).shape.count()};
}

TEST(Executor, TwoPlansShareStateAndWorkspaceWithoutDisturbingEachOther) {
  const Plan train = net_plan(32, 32, true), eval = net_plan(100, 40, false);
  ASSERT_EQ(train.state, eval.state);
  State state(train.state, 0, false);
  state.initialize(3);
  const SmallBatch train_batch(0, 32, 32), eval_batch(500, 100, 40);
  std::vector<float> loss, grads, batch_stats, eval_loss;

  // Each in memory of its own.
  {
    const Workspace own(std::array{&train}, 2);
    Executor e(train, state, own, pool(2));
    train_batch.bind_to(e, true);
    e.run();
    loss = result(e, "loss");
    grads = copy(state.grads());
    batch_stats = copy(state.batch_stats());
  }
  {
    const Workspace own(std::array{&eval}, 2);
    Executor e(eval, state, own, pool(2));
    eval_batch.bind_to(e, false);
    e.run();
    eval_loss = result(e, "loss");
  }
  const std::vector<float> params = copy(state.params()), stats = copy(state.stats());

  // And in turn, in one.
  const Workspace shared(std::array{&train, &eval}, 2);
  Executor t(train, state, shared, pool(2)), e(eval, state, shared, pool(2));
  train_batch.bind_to(t, true);
  eval_batch.bind_to(e, false);
  for (int round = 0; round < 2; ++round) {
    std::fill(state.grads().begin(), state.grads().end(), 0.0f);
    t.run();
    EXPECT_EQ(result(t, "loss"), loss);
    EXPECT_EQ(copy(state.grads()), grads);
    EXPECT_EQ(copy(state.batch_stats()), batch_stats);
    e.run();
    EXPECT_EQ(result(e, "loss"), eval_loss);
    EXPECT_EQ(copy(state.grads()), grads);  // evaluation writes no state
  }
  EXPECT_EQ(copy(state.params()), params);
  EXPECT_EQ(copy(state.stats()), stats);
}

TEST(Executor, AStepGivesTheSameBitsForAnyNumberOfThreads) {
  for (const int64_t batch : {32, 7}) {
    const Plan made = net_plan(batch, 16, true);
    State state(made.state, 0, false);
    state.initialize(1);
    const Workspace workspace(std::array{&made}, 8);
    const SmallBatch data(0, batch, 16);
    std::vector<float> grads, stats, loss;
    for (const int threads : {1, 2, 3, 8}) {
      std::fill(state.grads().begin(), state.grads().end(), 0.0f);
      Executor e(made, state, workspace, pool(threads));
      data.bind_to(e, true);
      e.run();
      if (threads == 1) {
        grads = copy(state.grads());
        stats = copy(state.batch_stats());
        loss = result(e, "loss");
      }
      EXPECT_EQ(copy(state.grads()), grads) << threads;
      EXPECT_EQ(copy(state.batch_stats()), stats) << threads;
      EXPECT_EQ(result(e, "loss"), loss) << threads;
    }
  }
}

TEST(Executor, ReplicasGiveTheSameBitsTogetherAndOneAfterAnother) {
  constexpr int replicas = 4;
  constexpr int64_t each = 4, size = 16, width = 24;
  Session together(net_plan(replicas * each, size, true, replicas, width));
  const SmallBatch all(0, replicas * each, size);
  all.bind_to(together, true);
  together.run();

  Session alone(net_plan(each, size, true, 1, width));
  std::vector<float> leaves, statistics;
  for (int r = 0; r < replicas; ++r) {
    const SmallBatch part(r * each, each, size);
    part.bind_to(alone, true);
    alone.run();
    const std::span<float> grads = alone.state().grads(), stats = alone.state().batch_stats();
    leaves.insert(leaves.end(), grads.begin(), grads.end());
    statistics.insert(statistics.end(), stats.begin(), stats.end());
  }
  const auto floats = static_cast<int64_t>(leaves.size()) / replicas;
  const auto stat_floats = static_cast<int64_t>(statistics.size()) / replicas;
  kernels::tree_sum(leaves.data(), floats, replicas, floats);
  kernels::tree_sum(statistics.data(), stat_floats, replicas, stat_floats);
  for (const StateLayout::Slot& slot : together.plan().state.params) {
    const std::span<float> have = together.grad(slot.name);
    EXPECT_EQ(copy(have),
              copy(std::span(leaves).subspan(static_cast<size_t>(slot.offset), have.size())))
        << slot.name;
  }
  for (const StateLayout::Slot& slot : together.plan().state.stats) {
    const std::span<float> have = together.batch_stat(slot.name);
    EXPECT_EQ(copy(have),
              copy(std::span(statistics).subspan(static_cast<size_t>(slot.offset), have.size())))
        << slot.name;
  }
}

TEST(Executor, BeginAndEndHoldTheirBuffersWhileOthersWork) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{64, 64}});
  const Value held = ops::relu(b, x);
  const Value begun = begin_doubling(b, held, 30);
  // Dozens of buffers of the same size that come and go meanwhile.
  Value y = x;
  for (int i = 0; i < 20; ++i) {
    const Value other = ops::swish(b, y);
    y = ops::multiply(b, ops::sigmoid(b, other), ops::add(b, y, other));
  }
  const Value z = end_doubling(b, begun);
  b.output("z", ops::add(b, z, y));
  b.output("y", y);
  Session session(plan(std::move(graph)));
  std::vector<float> values(64 * 64);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) - 8;
  session.bind("x", values.data());
  for (int round = 0; round < 3; ++round) {
    session.run();
    const std::vector<float> sum = session.output("z"), rest = session.output("y");
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(sum[i], 2 * std::max(values[i], 0.0f) + rest[i]) << i;
  }
}

TEST(Executor, ABegunNodeStartsAsEarlyAsItsInputsAllow) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4, 4}});
  const Value early = ops::relu(b, x);
  Value y = x;
  for (int i = 0; i < 5; ++i) y = ops::swish(b, y);
  const Value begun = begin_doubling(b, early, 0);
  b.output("z", ops::add(b, end_doubling(b, begun), y));
  const Plan made = plan(std::move(graph));
  const int after_relu = made.graph.order[2];
  EXPECT_EQ(made.graph.node(after_relu).op->name, "test_begin");
}

TEST(Executor, LossScaleAndLearningRateAreInputsOfThePlan) {
  Graph graph;
  Builder b(graph);
  const Value w = b.param("w", {8}, {Init::Kind::ones});
  const Value x = b.input("x", {{8}}), rate = b.input("rate", {Shape{}});
  const Value scale = b.input("scale", {Shape{}});
  const Value loss = ops::multiply(b, w, x);
  b.output("loss", loss);
  b.output("next", descend(b, w, x, rate));
  Session session(plan(std::move(graph), {{loss}}, scale));
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  session.bind("x", values.data());
  float learning_rate = 0.5f, loss_scale = 8;
  session.bind("rate", &learning_rate);
  session.bind("scale", &loss_scale);
  for (const auto& [lr, factor] : {std::pair(0.5f, 8.0f), {0.25f, 1024.0f}, {0.0f, 16.0f}}) {
    learning_rate = lr;
    loss_scale = factor;
    session.run();
    for (size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(session.grad("w")[i], values[i] * factor / 8);
      EXPECT_EQ(session.output("next")[i], 1 - lr * values[i]);
    }
  }
}

// A value may be stored in 16 bits on its way; the network still learns.
TEST(Executor, ANetworkWithA16BitValueInItLearns) {
  for (const DType type : {DType::bf16, DType::f16}) {
    Graph graph;
    Builder b(graph);
    const Value image = b.input("image", {{8, 3, 8, 8}}), scale = b.input("scale", {Shape{}});
    const Value w = b.param("w", {16, 3, 3, 3}, {Init::Kind::normal, 0.2f});
    Value x = ops::convolution(b, image, w, {.padding = ops::Padding::all(1)});
    x = ops::cast(b, ops::cast(b, x, type), DType::f32);
    x = ops::global_avg_pool(b, ops::relu(b, x));
    const Value fc = b.param("fc", {1, 16}, {Init::Kind::normal, 0.5f});
    x = ops::linear(b, x, fc, b.param("bias", {1}, {}));
    const Value loss = ops::multiply(b, x, x);  // lower is nearer to zero
    b.output("loss", loss);
    Plan made = plan(std::move(graph), {{loss}}, scale);
    int stored = 0;
    for (const int id : made.graph.order) {
      for (const Value v : made.graph.node(id).out) {
        stored += made.graph.type(v).dtype == type && made.graph.type(v).layout == Layout::blocked;
      }
    }
    EXPECT_EQ(stored, 2);  // the value and its gradient, without a reorder
    Session session(std::move(made));
    const SmallBatch batch(0, 8, 8);
    const float one = 1;
    session.bind("image", batch.image.data());
    session.bind("scale", &one);
    const auto total = [&] {
      double sum = 0;
      for (const float v : session.output("loss")) sum += v;
      return sum;
    };
    session.run();
    const double before = total();
    for (int step = 0; step < 20; ++step) {
      for (const char* name : {"w", "fc", "bias"}) {
        for (size_t i = 0; i < session.param(name).size(); ++i)
          session.param(name)[i] -= 0.05f * session.grad(name)[i];
      }
      session.run();
    }
    EXPECT_LT(total(), 0.2 * before) << name(type);
  }
}

TEST(Executor, AResultMayBeAnInputOrAParameter) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{3}});
  b.output("x", x);
  b.output("w", b.param("w", {3}, {Init::Kind::ones}));
  Session session(plan(std::move(graph)));
  const std::vector<float> values{4, 5, 6};
  session.bind("x", values.data());
  session.run();
  EXPECT_EQ(session.output("x"), values);
  EXPECT_EQ(session.output("w"), (std::vector<float>{1, 1, 1}));
}

TEST(Executor, RefusesUnboundInputsAndUnknownNames) {
  const Plan made = net_plan(4, 16, true);
  State state(made.state, 0, false);
  const Workspace workspace(std::array{&made}, 1);
  Executor e(made, state, workspace, pool(1));
  const SmallBatch batch(0, 4, 16);
  e.bind("image", batch.image.data());
  e.bind("label", batch.label.data());
  try {
    e.run();
    ADD_FAILURE() << "ran with an input missing";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'key'"), std::string::npos) << error.what();
  }
  EXPECT_THROW(e.bind("imagee", batch.image.data()), Error);
  EXPECT_FALSE(e.try_bind("mask", batch.image.data()));
  EXPECT_THROW(e.output("nothing"), Error);
}

TEST(Executor, RefusesAStateOfAnotherModel) {
  const Plan made = net_plan(4, 16, true), wider = net_plan(4, 16, true, 1, 32);
  State state(wider.state, 0, false);
  const Workspace workspace(std::array{&made}, 1);
  EXPECT_THROW(Executor(made, state, workspace, pool(1)), Error);
}

TEST(Executor, RefusesAWorkspaceThatIsTooSmall) {
  const Plan made = net_plan(4, 16, true), larger = net_plan(16, 16, true);
  State state(made.state, 0, false);
  const Workspace workspace(std::array{&made}, 2);
  EXPECT_NO_THROW(Executor(made, state, workspace, pool(2)));
  EXPECT_THROW(Executor(larger, state, workspace, pool(2)), Error);
  EXPECT_THROW(Executor(made, state, workspace, pool(8)), Error);
}

TEST(Executor, RefusesReplicasThatDoNotDivideTheBatch) {
  EXPECT_THROW(net_plan(10, 16, true, 4), Error);
  EXPECT_THROW(net_plan(2, 16, true, 4), Error);
}

TEST(Executor, TimesEveryStepWhenAsked) {
  const Plan made = net_plan(4, 16, true);
  State state(made.state, 0, false);
  state.initialize(1);
  const Workspace workspace(std::array{&made}, 1);
  Executor e(made, state, workspace, pool(1));
  const SmallBatch batch(0, 4, 16);
  batch.bind_to(e, true);
  OpSeconds watch;
  e.observe(&watch);
  e.run();
  const std::vector<double> once = watch.seconds();
  EXPECT_EQ(once.size(), made.ops.size());
  for (const double s : once) EXPECT_GE(s, 0);
  e.run();
  for (size_t i = 0; i < once.size(); ++i) EXPECT_GE(watch.seconds()[i], once[i]);
  e.observe(nullptr);
  const std::vector<double> twice = watch.seconds();
  e.run();
  EXPECT_EQ(watch.seconds(), twice);
}

TEST(State, StartsFromTheSeedAndTheNameOfEachParameter) {
  const Plan made = net_plan(4, 16, true);
  State a(made.state, 2, true), b(made.state, 2, true), c(made.state, 2, true);
  a.initialize(1);
  b.initialize(1);
  c.initialize(2);
  EXPECT_EQ(copy(a.params()), copy(b.params()));
  EXPECT_NE(copy(a.params()), copy(c.params()));
  EXPECT_EQ(copy(a.average_params()), copy(a.params()));
  EXPECT_EQ(a.slot_count(), 2);
  for (const float v : a.slot(1)) EXPECT_EQ(v, 0);
  // The same weights in a net where other parameters come before.
  Graph graph;
  Builder builder(graph);
  builder.param("extra", {5}, {Init::Kind::normal, 1});
  const auto scope = builder.scope("stem");
  builder.param("weight", {16, 3, 3, 3}, {Init::Kind::normal, 0.1f});
  State other(lay_out_state(graph), 0, false);
  other.initialize(1);
  const auto find = [](const StateLayout& layout, std::span<float> params) {
    for (const auto& slot : layout.params) {
      if (slot.name == "stem.weight")
        return copy(
            params.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count)));
    }
    return std::vector<float>{};
  };
  EXPECT_EQ(find(made.state, a.params()), find(other.layout(), other.params()));
}

TEST(State, DrawsFromTheDistributionsItNames) {
  Graph graph;
  Builder b(graph);
  using Kind = Init::Kind;
  b.param("normal", {20000}, {Kind::normal, 2});
  b.param("truncated", {20000}, {Kind::truncated_normal, 2});
  b.param("uniform", {20000}, {Kind::uniform, 2});
  b.param("constant", {3}, {Kind::constant, 2});
  State state(lay_out_state(graph), 0, false);
  state.initialize(9);
  const auto deviation = [&](size_t i, double limit) {
    const StateLayout::Slot& slot = state.layout().params[i];
    double sum = 0, square = 0;
    for (const float v : state.params().subspan(static_cast<size_t>(slot.offset),
                                                static_cast<size_t>(slot.count))) {
      EXPECT_LE(std::abs(v), limit);
      sum += v;
      square += static_cast<double>(v) * v;
    }
    EXPECT_NEAR(sum / 20000, 0, 0.05);
    return std::sqrt(square / 20000);
  };
  EXPECT_NEAR(deviation(0, 100), 2, 0.04);
  EXPECT_NEAR(deviation(1, 4), 2 * 0.8796, 0.04);
  EXPECT_NEAR(deviation(2, 2), 2 / std::sqrt(3.0), 0.03);
  EXPECT_EQ(state.params()[static_cast<size_t>(state.layout().params[3].offset)], 2);
}

}  // namespace
}  // namespace convoy::test
