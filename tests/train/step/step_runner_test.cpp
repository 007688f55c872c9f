// The runner against a plain reference: the gradient of every micro-batch by itself, and their sums
// written out.

#include "train/step/step_runner.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <deque>
#include <numeric>

#include "base/random.h"
#include "base/threads/thread_pool.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/linear.h"
#include "ops/loss/cross_entropy.h"
#include "ops/norm/batch_norm.h"
#include "ops/pooling.h"
#include "support/allocations.h"
#include "support/loss_results.h"
#include "support/network.h"
#include "support/session.h"
#include "support/thread_world.h"
#include "train/step/network.h"

namespace convoy {
namespace {

constexpr int64_t micro_batch = 3, size = 6, classes = 5;
const Shape image{3, size, size};

class SmallTask : public Task {
 public:
  explicit SmallTask(bool has_norm) : has_norm_(has_norm) {}

  TaskGraph build(const TaskShape& shape) const override {
    TaskGraph task;
    task.graph.replicas = shape.replicas;
    Builder b(task.graph, shape.train);
    Value x = b.input("image", {{shape.batch, 3, size, size}});
    const Value w = b.param("conv", {16, 3, 3, 3}, {Init::Kind::normal, 0.3f});
    x = ops::convolution(b, x, w, {.padding = ops::Padding::all(1)});
    if (has_norm_) {
      x = ops::batch_norm(b, x,
                          {b.param("gamma", {16}, {Init::Kind::ones}), b.param("beta", {16}, {}),
                           b.stat("mean", {16}, 0), b.stat("variance", {16}, 1)});
    }
    x = ops::global_avg_pool(b, ops::relu(b, x));
    const Value fc = b.param("fc", {classes, 16}, {Init::Kind::normal, 0.5f});
    const Value logits = ops::linear(b, x, fc, b.param("bias", {classes}, {}));
    const Value label = b.input("label", {{shape.batch}, DType::s32});
    const Value loss = ops::softmax_cross_entropy(b, logits, label);
    b.output("loss", loss);
    task.loss_scale = b.input("loss_scale", {});
    task.losses = {{loss, 1}};
    return task;
  }

  std::unique_ptr<Results> results() const override { return test::loss_results(); }

  void read(const Executor& executor, const Batch& batch, Rows& rows) const override {
    const float* loss = executor.output("loss");
    for (int64_t i = 0; i < batch.valid; ++i) rows.add(std::array{static_cast<double>(loss[i])});
  }

 private:
  bool has_norm_;
};

// Samples [start, start + count) of step `step`.
struct SampleBatch : Batch {
  SampleBatch(int64_t step, int64_t start, int64_t count)
      : Batch({{"image", {{count, 3, size, size}}}, {"label", {{count}, DType::s32}}}) {
    for (int64_t i = 0; i < count; ++i) {
      const auto sample = static_cast<uint64_t>(step * 1000 + start + i);
      Random random(random_key(9, Purpose::generated, sample));
      for (int64_t p = 0; p < 3 * size * size; ++p) {
        data<float>("image")[i * 3 * size * size + p] = static_cast<float>(random.normal());
      }
      data<int32_t>("label")[i] = static_cast<int32_t>(random.below(classes));
    }
    valid = count;
  }
};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

struct Training {
  SmallTask task;
  std::unique_ptr<Optimizer> optimizer = test::default_optimizer("sgd");
  NetworkPlans plans;
  Network network;
  StepShape shape;
  std::deque<SampleBatch> batches;

  Training(const StepShape& step, bool has_norm, Transport* transport = nullptr)
      : task(has_norm),
        plans(task, {.image = image, .watch = {}, .optimizer = optimizer.get(), .step = step}),
        network(plans, 2, {}, transport),
        shape(step) {
    network.state().initialize(7);
  }

  // The loss over the samples of all processes.
  double run(int64_t step) {
    const int64_t each = shape.plan_batch();
    batches.clear();
    // As the loader deals them: in lockstep the replicas take turns.
    const auto add = [&](int part) {
      batches.emplace_back(step, shape.first_sample() + part * each, each);
    };
    if (shape.lockstep()) {
      for (int first = 0; first < shape.local_replicas(); first += shape.lanes()) {
        for (int m = 0; m < shape.accumulation; ++m) {
          for (int r = first; r < first + shape.lanes(); ++r) add(r * shape.accumulation + m);
        }
      }
    } else {
      for (int part = 0; part < shape.micro_batches(); ++part) add(part);
    }
    return run_again(step);
  }
  double run_again(int64_t step) {
    size_t next = 0;
    const StepInputs inputs{.learning_rate = 0.1f, .loss_scale = 4, .step = float(step)};
    const Results& results =
        network.steps().run(inputs, [&]() -> const Batch& { return batches[next++]; });
    EXPECT_EQ(next, batches.size());
    EXPECT_EQ(results.samples(), shape.global_batch());
    return results.loss();
  }
};

float rounded(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

// The sum of rows [first, first + n) as a balanced tree.
std::vector<float> tree(const std::vector<std::vector<float>>& rows, size_t first, size_t n) {
  if (n == 1) return rows[first];
  const size_t left = std::bit_ceil(n) / 2;
  std::vector<float> sum = tree(rows, first, left);
  const std::vector<float> right = tree(rows, first + left, n - left);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += right[i];
  return sum;
}

// What one step leaves among the gradients and the running statistics.
struct Expected {
  std::vector<float> grads, stats;

  Expected(const StepShape& shape, bool has_norm) {
    StepShape alone{.micro_batch = micro_batch};
    Training one(alone, has_norm);
    Executor& executor = *one.network.gradients();
    const float loss_scale = 4;
    executor.bind("loss_scale", &loss_scale);
    std::vector<std::vector<float>> leaves;
    std::vector<std::vector<std::vector<float>>> batch_stats(
        static_cast<size_t>(shape.accumulation));
    for (int r = 0; r < shape.replicas; ++r) {
      std::vector<float> leaf;
      for (int m = 0; m < shape.accumulation; ++m) {
        const int64_t first = (r * shape.accumulation + m) * micro_batch;
        const SampleBatch batch(0, first, micro_batch);
        for (const NamedTensor& t : batch.tensors()) executor.bind(t.name, t.data);
        executor.run();
        const std::vector<float> made = copy(one.network.state().grads());
        if (m == 0) leaf.resize(made.size());
        for (size_t i = 0; i < made.size(); ++i) leaf[i] = m == 0 ? made[i] : leaf[i] + made[i];
        batch_stats[static_cast<size_t>(m)].push_back(copy(one.network.state().batch_stats()));
      }
      for (float& x : leaf) x = shape.narrow ? rounded(x) : x;
      leaves.push_back(leaf);
    }
    grads = tree(leaves, 0, leaves.size());
    stats = copy(one.network.state().stats());
    const auto replicas = static_cast<float>(shape.replicas);
    std::vector<float> all(stats.size());
    for (const auto& of_micro : batch_stats) {
      const std::vector<float> sum = tree(of_micro, 0, of_micro.size());
      for (size_t i = 0; i < stats.size(); ++i) {
        all[i] += sum[i];
        if (!shape.bn_per_step) stats[i] += 0.1f * (sum[i] / replicas - stats[i]);
      }
    }
    const auto terms = replicas * static_cast<float>(shape.accumulation);
    for (size_t i = 0; shape.bn_per_step && i < stats.size(); ++i) {
      stats[i] += 0.1f * (all[i] / terms - stats[i]);
    }
  }
};

// Lockstep where nothing is shared: only then are micro-batches by themselves a reference.
const std::vector<std::pair<StepShape, bool>> shapes{
    {{micro_batch, 1, 1}, true},
    {{micro_batch, 1, 1, false, true}, true},
    {{micro_batch, 1, 3}, true},
    {{micro_batch, 4, 1, true}, true},
    {{micro_batch, 3, 1}, true},
    {{micro_batch, 3, 2, false, true}, true},
    {{.micro_batch = micro_batch, .replicas = 2, .accumulation = 2, .bn_per_step = true}, true},
    {{micro_batch, 4, 1, false, false, 2}, false},
    {{micro_batch, 3, 2, false, true, 3}, false}};

TEST(StepRunner, SumsAreThoseOfEveryMicroBatchByItself) {
  for (const auto& [shape, has_norm] : shapes) {
    Training training(shape, has_norm);
    const Expected expected(shape, has_norm);
    EXPECT_GT(training.run(0), 0);
    const std::string schedule = to_string(training.plans.schedule());
    EXPECT_EQ(copy(training.network.state().grads()), expected.grads) << schedule;
    const std::span<float> stats = training.network.state().stats();
    for (size_t i = 0; i < stats.size(); ++i) {
      EXPECT_NEAR(stats[i], expected.stats[i], 1e-6) << schedule;
    }
  }
}

TEST(StepRunner, SeveralProcessesEndWithTheBitsOfOne) {
  std::vector<std::pair<StepShape, bool>> all = shapes;
  all.push_back({{micro_batch, 4, 2, false, false, 4}, true});  // shared batch norms
  all.push_back({{micro_batch, 6, 1, false, false, 2}, true});
  for (const auto& [shape, has_norm] : all) {
    if (shape.replicas == 1) continue;
    Training alone(shape, has_norm);
    double loss = 0;
    for (int step = 0; step < 3; ++step) loss += alone.run(step);
    const std::vector<float> params = copy(alone.network.state().params()),
                             stats = copy(alone.network.state().stats());
    for (const std::vector<int>& hosts : {std::vector<int>{0, 0}, {0, 1}, {0, 1, 1}}) {
      for (const bool shard : {false, true}) {
        if (std::ssize(hosts) > shape.replicas) continue;
        StepShape shared = shape;
        shared.processes = static_cast<int>(hosts.size());
        shared.shard = shard;
        shared.bucket_floats = 128;
        test::with_ranks(hosts, [&, has_norm = has_norm](Transport& transport) {
          flush_subnormals();
          Training one(shared.of_rank(transport.rank()), has_norm, &transport);
          EXPECT_GT(one.plans.buckets().size(), 2u);
          double sum = 0;
          for (int step = 0; step < 3; ++step) sum += one.run(step);
          EXPECT_EQ(sum, loss);
          EXPECT_EQ(copy(one.network.state().params()), params) << to_string(one.plans.schedule());
          EXPECT_EQ(copy(one.network.state().stats()), stats);
          transport.barrier();
        });
      }
    }
  }
}

TEST(StepRunner, AllocatesNothingAfterTheFirstStep) {
  for (const auto& [shape, has_norm] : shapes) {
    Training training(shape, has_norm);
    training.run(0);
    training.run_again(1);
    const test::AllocationCounter counter;
    training.run_again(2);
    EXPECT_EQ(counter.so_far().ours, 0) << to_string(training.plans.schedule());
  }
}

TEST(StepRunner, TakesTheShortLastStepThroughAPlanOfItsOwn) {
  SmallTask task(true);
  const auto optimizer = test::default_optimizer("sgd");
  const auto after = [&](StepShape step, int64_t tail) {
    const NetworkPlans plans(task, {.image = image,
                                    .watch = {},
                                    .optimizer = optimizer.get(),
                                    .step = step,
                                    .tail_batch = tail});
    Network network(plans, 2);
    network.state().initialize(7);
    const SampleBatch batch(0, 0, 2);
    const StepInputs inputs{.learning_rate = 0.1f};
    const auto next = [&]() -> const Batch& { return batch; };
    if (tail) {
      network.steps().run_tail(inputs, next);
    } else {
      network.steps().run(inputs, next);
    }
    return copy(network.state().params());
  };
  EXPECT_EQ(after({.micro_batch = 8}, 2), after({.micro_batch = 2}, 0));
}

}  // namespace
}  // namespace convoy
