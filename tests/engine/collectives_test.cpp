// Collectives, lockstep, and regions that outlive a run: what an executor asks others for.

#include "engine/collectives.h"

#include <gtest/gtest.h>

#include <array>

#include "base/error.h"
#include "engine/executor.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/exchange.h"
#include "support/session.h"

namespace convoy::test {
namespace {

constexpr int64_t n = 6;

// relu(x) of two replicas is brought together; each adds 1 to all of it. Beside it, work of its
// own.
Plan exchanging_plan() {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{n}}), one = b.input("one", {{2 * n}});
  const Value all = b.emit(ops::span_begin_def, {ops::relu(b, x)}, ops::SpanAttrs{0, 2});
  const Value meanwhile = ops::sigmoid(b, x);
  b.output("there", b.emit(ops::span_end_def, {all}, ops::SpanAttrs{0, 2}));
  b.output("all", ops::add(b, all, one));
  b.output("meanwhile", meanwhile);
  return plan(std::move(graph));
}

// Brings together what members in one process have, and writes down what it is asked for.
class Together final : public Collectives {
 public:
  void begin(const Collective& what, std::span<Executor* const> members, size_t step) override {
    log += "begin " + std::to_string(what.number) + " of " + std::to_string(members.size()) + "; ";
    given_.clear();
    for (const Executor* member : members) {
      given_.push_back(reinterpret_cast<const float*>(member->input_of(step, 0)));
    }
  }
  void end(const Collective& what, std::span<Executor* const> members, size_t step) override {
    log += "end " + std::to_string(what.number) + "; ";
    for (const Executor* member : members) {
      auto* all = reinterpret_cast<float*>(member->input_of(step, 0));
      for (size_t i = 0; i < given_.size(); ++i) std::copy_n(given_[i], n, all + i * n);
    }
  }
  void progress() override { log += "."; }

  std::string log;

 private:
  std::vector<const float*> given_;
};

class Watch final : public PlanObserver {
 public:
  void ran(const Plan& plan, size_t step, double begin, double end) override {
    EXPECT_LE(begin, end);
    EXPECT_GE(begin, last_);
    last_ = end;
    names.emplace_back(plan.graph.node(plan.ops[step].node).op->name);
  }
  std::vector<std::string> names;

 private:
  double last_ = 0;
};

struct Member {
  explicit Member(const Plan& made, float first)
      : state(made.state, 0, false),
        workspace(std::array{&made}, 2),
        executor(made, state, workspace, pool(2)) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = first + static_cast<float>(i);
    one.fill(1);
    executor.bind("x", x.data());
    executor.bind("one", one.data());
  }
  State state;
  Workspace workspace;
  Executor executor;
  std::array<float, n> x;
  std::array<float, 2 * n> one;
};

TEST(Collectives, MembersInLockstepGetWhatAllGave) {
  const Plan made = exchanging_plan();
  Member a(made, -2), b(made, 100);
  Together together;
  Watch watch;
  a.executor.connect(&together);
  a.executor.observe(&watch);
  Executor* const both[] = {&a.executor, &b.executor};
  for (int round = 0; round < 2; ++round) {
    together.log.clear();
    watch.names.clear();
    Executor::run(both, Executor::Parameters::changed);
    for (const Executor* executor : both) {
      const float* all = executor->output("all");
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(all[i], std::max(a.x[i], 0.0f) + 1);
        EXPECT_EQ(all[n + i], b.x[i] + 1);
      }
    }
    EXPECT_NE(a.executor.output("meanwhile")[0], b.executor.output("meanwhile")[0]);
    // Begun as early as its input allows; something moves on behind every step.
    EXPECT_EQ(together.log, ".begin 0 of 2; ..end 0; ..");
    EXPECT_EQ(watch.names,
              (std::vector<std::string>{"relu", "span_begin", "sigmoid", "span_end", "add"}));
  }
}

TEST(Collectives, APlanThatHasAnyIsNotRunWithoutThem) {
  const Plan made = exchanging_plan();
  Member alone(made, 0);
  EXPECT_THROW(alone.executor.run(), Error);
}

TEST(Collectives, OneExecutorIsAGroupOfOne) {
  const Plan made = exchanging_plan();
  Member alone(made, 3);
  Together together;
  alone.executor.connect(&together);
  alone.executor.run();
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(alone.executor.output("all")[i], alone.x[i] + 1);
  EXPECT_EQ(together.log, ".begin 0 of 1; ..end 0; ..");
}

// A region that no one else knows: what a stash of micro-batches will be.
constexpr Region kept_region{"kept", Region::Layout::apart};

TEST(Regions, ARowOfItsOwnHasPlacesThatOutliveARun) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{n}});
  const Value y = ops::relu(b, x), z = ops::sigmoid(b, y);
  b.output("sum", ops::add(b, y, z));
  for (const Value v : {y, z}) graph.info(v).region = &kept_region;
  const Plan made = plan(std::move(graph));
  ASSERT_EQ(made.apart.size(), 1u);
  EXPECT_EQ(made.apart[0].first, &kept_region);
  const size_t bytes = made.apart[0].second;
  EXPECT_EQ(bytes, 2 * Arena::alignment);  // side by side, however long either is needed

  const State state(made.state, 0, false);
  const Workspace workspace(std::array{&made}, 1);
  Executor executor(made, state, workspace, pool(1));
  std::array<float, n> values{};
  executor.bind("x", values.data());
  EXPECT_THROW(executor.run(), Error);  // no memory yet
  const Arena first(bytes), second(bytes);
  for (const auto& [memory, value] : {std::pair(&first, 2.0f), {&second, 5.0f}}) {
    values.fill(value);
    executor.give(kept_region, memory->data());
    executor.run();
  }
  const auto kept = [](const Arena& memory, size_t place) {
    return reinterpret_cast<const float*>(memory.data() + place * Arena::alignment)[n - 1];
  };
  EXPECT_EQ(kept(first, 0), 2);
  EXPECT_EQ(kept(second, 0), 5);
  EXPECT_GT(kept(second, 1), kept(first, 1));
  EXPECT_EQ(executor.output("sum")[0], kept(second, 0) + kept(second, 1));
  EXPECT_THROW(executor.give(regions::params, first.data()), Error);
}

}  // namespace
}  // namespace convoy::test
