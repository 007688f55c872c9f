// The planner against brute force: any two values that live at the same time, and a run in which
// every value has memory of its own.

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/shape_ops.h"
#include "support/batch.h"
#include "support/session.h"
#include "support/small_net.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

struct Life {
  Value value;
  int first, last;  // steps of the order
  size_t begin, end;
};

// Written from the words of the contract, not from the planner.
std::vector<Life> lives(const Plan& plan) {
  const Graph& graph = plan.graph;
  const int end = static_cast<int>(graph.order.size());
  const auto last_read = [&](Value v) {
    int last = -1;
    for (int at = 0; at < end; ++at) {
      for (const Value in : graph.node(graph.order[static_cast<size_t>(at)]).in) {
        if (in == v) last = at;
      }
    }
    return graph.is_result(v) ? end : last;
  };
  std::vector<Life> all;
  for (int at = 0; at < end; ++at) {
    for (const Value v : graph.node(graph.order[static_cast<size_t>(at)]).out) {
      if (graph.info(v).region != &regions::workspace) continue;
      const size_t begin = plan.places[static_cast<size_t>(v.id)].offset;
      int last = std::max(at, last_read(v));
      // Whatever a begun node uses is held until its end.
      for (const int id : graph.order) {
        const Node& node = graph.node(id);
        if (!node.op->runs_early) continue;
        for (const Values* list : {&node.in, &node.out}) {
          for (const Value used : *list) {
            if (used == v) last = std::max(last, last_read(node.out[0]));
          }
        }
      }
      all.push_back({v, at, last, begin, begin + stored_bytes(graph.type(v))});
    }
  }
  return all;
}

// a's last reader writes b over it, and may.
bool in_place(const Graph& graph, const Life& a, const Life& b) {
  const Node& node = graph.producer(b.value);
  return a.last == b.first && a.begin == b.begin && node.op->inplace_input >= 0 &&
         b.value == node.out[0] && node.in[static_cast<size_t>(node.op->inplace_input)] == a.value;
}

// The number of values that share memory in place.
int expect_no_overlap(const Plan& plan) {
  const std::vector<Life> all = lives(plan);
  int shared = 0;
  for (const Life& a : all) {
    EXPECT_LE(a.end, plan.workspace_bytes);
    EXPECT_EQ(a.begin % 64, 0u);
    for (const Life& b : all) {
      if (a.value == b.value || a.first > b.first) continue;
      const bool together = a.last >= b.first && b.last >= a.first;
      const bool overlap = a.begin < b.end && b.begin < a.end;
      if (!together || !overlap) continue;
      EXPECT_TRUE(in_place(plan.graph, a, b)) << "%" << a.value.id << " and %" << b.value.id;
      ++shared;
    }
  }
  return shared;
}

// Values of different sizes, used once or often, some of them in flight between a begin and its
// end.
Graph random_graph(uint64_t seed, bool with_pairs) {
  Random random(seed);
  Graph graph;
  Builder b(graph);
  Values values;
  for (int i = 0; i < 3; ++i)
    values.push_back(b.input(std::string(1, static_cast<char>('a' + i)), {{4, 16 * (i + 1)}}));
  Values begun;
  const auto any = [&] { return values[random.below(static_cast<uint32_t>(values.size()))]; };
  for (int i = 0; i < 50; ++i) {
    const Value x = any(), y = any();
    switch (random.below(with_pairs ? 7 : 5)) {
      case 0:
        values.push_back(ops::relu(b, x));
        break;
      case 1:
        values.push_back(ops::swish(b, x));
        break;
      case 2:
        if (b.shape(x) == b.shape(y)) values.push_back(ops::add(b, x, y));
        break;
      case 3:
        if (b.shape(x)[1] + b.shape(y)[1] < 200) values.push_back(ops::concat(b, {x, y}));
        break;
      case 4:
        values.push_back(ops::multiply(b, x, x));
        break;
      case 5:
        begun.push_back(begin_doubling(b, x, 0));
        break;
      default:
        if (begun.empty()) break;
        values.push_back(end_doubling(b, begun.back()));
        begun.pop_back();
    }
  }
  for (const Value v : begun) values.push_back(end_doubling(b, v));
  for (int i = 0; i < 4; ++i) b.output("out" + std::to_string(i), any());
  b.output("last", values.back());
  return graph;
}

TEST(PlanMemory, NoTwoLiveValuesOverlapInRandomGraphs) {
  int shared = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Plan made = plan(random_graph(seed, seed % 2 == 1));
    shared += expect_no_overlap(made);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(shared, 100);  // in place was tried
}

TEST(PlanMemory, NoTwoLiveValuesOverlapInANetwork) {
  Graph graph;
  Builder b(graph);
  const SmallNet net = small_net(b, 8, 16);
  const Plan made = plan(std::move(graph), {{net.loss}}, net.loss_scale);
  EXPECT_GT(expect_no_overlap(made), 0);
  size_t sum = 0;
  for (const Life& life : lives(made)) sum += life.end - life.begin;
  EXPECT_LT(made.workspace_bytes, sum * 3 / 4);  // it does share
}

// Runs the plan's kernels one after another with memory of its own for every value.
std::vector<std::vector<std::byte>> run_apart(Session& session,
                                              const std::map<std::string, const void*>& inputs) {
  const Plan& plan = session.plan();
  const Graph& graph = plan.graph;
  std::vector<std::vector<std::byte>> memory(static_cast<size_t>(graph.value_count()));
  std::vector<std::byte> scratch(plan.scratch_bytes + 64), worker(plan.worker_scratch_bytes + 64);
  const auto aligned = [](std::vector<std::byte>& v) {
    return v.data() + (64 - reinterpret_cast<uintptr_t>(v.data()) % 64) % 64;
  };
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    for (const Value v : node.out) {
      auto& mine = memory[static_cast<size_t>(v.id)];
      mine.resize(stored_bytes(graph.type(v)) + 64);
      const void* source = nullptr;
      if (node.op == &input_op) source = inputs.at(node.name);
      if (node.op == &param_op) source = session.param(node.name).data();
      if (node.op == &stat_op) source = session.stat(node.name).data();
      if (source) std::memcpy(aligned(mine), source, stored_bytes(graph.type(v)));
    }
  }
  for (const PlanOp& step : plan.ops) {
    std::vector<std::byte*> in, out;
    for (const Value v : graph.node(step.node).in)
      in.push_back(aligned(memory[static_cast<size_t>(v.id)]));
    for (const Value v : graph.node(step.node).out)
      out.push_back(aligned(memory[static_cast<size_t>(v.id)]));
    step.kernel->prepare(1);
    for (int phase = 0; phase < step.kernel->phases(); ++phase) {
      for (int task = 0; task < step.kernel->tasks(phase); ++task)
        step.kernel->run(
            phase, task,
            {in, out, aligned(scratch), aligned(worker), aligned(scratch) + step.packed_offset, 0});
    }
  }
  for (auto& mine : memory) {
    if (!mine.empty()) mine.erase(mine.begin(), mine.begin() + (aligned(mine) - mine.data()));
  }
  return memory;
}

TEST(PlanMemory, ValuesAreThoseOfARunWhereNothingIsShared) {
  std::vector<std::vector<float>> data;
  std::map<std::string, const void*> inputs;
  for (int i = 0; i < 3; ++i) {
    data.emplace_back(static_cast<size_t>(4 * 16 * (i + 1)));
    Random random(static_cast<uint64_t>(i));
    for (float& v : data.back()) v = static_cast<float>(random.normal() * 0.1);
    inputs[std::string(1, static_cast<char>('a' + i))] = data.back().data();
  }
  for (uint64_t seed = 0; seed < 60; ++seed) {
    Session session(plan(random_graph(seed, seed % 2 == 1)));
    for (const auto& [name, values] : inputs) session.bind(name, values);
    session.run();
    const auto apart = run_apart(session, inputs);
    for (const NamedValue& output : session.plan().graph.outputs) {
      const std::vector<float> have = session.output(output.name);
      EXPECT_EQ(std::memcmp(have.data(), apart[static_cast<size_t>(output.value.id)].data(),
                            have.size() * sizeof(float)),
                0)
          << "seed " << seed << ", " << output.name;
    }
  }
}

TEST(PlanMemory, ANetworkGivesTheSameBitsWhenNothingIsShared) {
  Graph graph;
  Builder b(graph);
  const SmallNet net = small_net(b, 6, 16, 24);
  Session session(plan(std::move(graph), {{net.loss}}, net.loss_scale));
  const SmallBatch batch(0, 6, 16);
  batch.bind_to(session, true);
  session.run();
  const auto apart = run_apart(session, {{"image", batch.image.data()},
                                         {"label", batch.label.data()},
                                         {"key", batch.key.data()},
                                         {"loss_scale", &batch.loss_scale}});
  for (const Param& p : session.plan().graph.params) {
    const std::span<float> have = session.grad(p.name);
    EXPECT_EQ(
        std::memcmp(have.data(), apart[static_cast<size_t>(p.grad.id)].data(), have.size_bytes()),
        0)
        << p.name;
  }
}

TEST(PlanMemory, WhatABegunNodeUsesIsHeldUntilItsEnd) {
  Graph graph;
  Builder b(graph);
  const Value x = ops::relu(b, b.input("x", {{4, 16}}));
  const Value begun = begin_doubling(b, x, 0);
  Value y = b.input("y", {{4, 16}});
  for (int i = 0; i < 10; ++i) y = ops::swish(b, ops::relu(b, y));
  b.output("y", y);
  const Value ended = end_doubling(b, begun);
  b.output("z", ended);
  const Plan made = plan(std::move(graph));
  expect_no_overlap(made);
  const size_t held = made.places[static_cast<size_t>(x.id)].offset;
  const size_t writing = made.places[static_cast<size_t>(begun.id)].offset;
  EXPECT_NE(held, writing);
  for (const Life& life : lives(made)) {
    if (life.value == x || life.value == begun || life.value == ended) continue;
    EXPECT_NE(life.begin, held);
    EXPECT_NE(life.begin, writing);
  }
}

TEST(PlanMemory, StateIsLaidOutOnItsOwnCacheLinesInBackwardOrder) {
  Graph graph;
  Builder b(graph);
  b.param("first", {3}, {});
  b.param("second", {17}, {});
  b.param("third", {16}, {});
  b.stat("mean", {5}, 0);
  b.stat("variance", {5}, 1);
  const StateLayout layout = lay_out_state(graph);
  EXPECT_EQ(layout.params[2].offset, 0);
  EXPECT_EQ(layout.params[1].offset, 16);
  EXPECT_EQ(layout.params[0].offset, 48);
  EXPECT_EQ(layout.param_floats, 64);
  EXPECT_EQ(layout.stats[1].offset, 16);
  EXPECT_EQ(layout.stat_floats, 32);
}

}  // namespace
}  // namespace convoy::test
