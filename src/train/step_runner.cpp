#include "train/step_runner.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/sums.h"
#include "tensor/kernel.h"

namespace convoy {

namespace {

// A replica's gradients, and the statistics of each of its micro-batches.
int64_t leaf_floats(const StepShape& shape, const StateLayout& state) {
  return state.param_floats + shape.accumulation * state.stat_floats;
}

}  // namespace

int64_t StepRunner::sum_bytes(const StepShape& shape, const StateLayout& state) {
  const int64_t floats = leaf_floats(shape, state);
  return floats * 4 + TreeAccumulator::bytes(floats, shape.replicas);
}

StepRunner::StepRunner(const StepShape& shape, const Task& task, const State& state,
                       ThreadPool& pool, const Executors& executors)
    : shape_(shape), task_(task), state_(state), pool_(pool), executors_(executors) {
  expect(!shape.together || shape.accumulation == 1,
         "replicas run together only without accumulation");
  executors_.statistics.bind("bn_momentum", &now_.bn_momentum);
  executors_.statistics.bind("stat_scale", &stat_scale_);
  executors_.update.bind("learning_rate", &now_.learning_rate);
  executors_.update.bind("grad_scale", &grad_scale_);
  executors_.update.bind("step", &now_.step);
  executors_.update.bind("skip_update", &skip_);
  if (!alone()) {
    const int64_t floats = leaf_floats(shape, state.layout());
    leaf_.reserve(static_cast<size_t>(floats) * sizeof(float));
    tree_.emplace(floats, shape.replicas);
  }
}

void StepRunner::run_part(Executor& gradients, const Batch& batch, Tally& tally, bool first) {
  for (const NamedTensor& tensor : batch.tensors()) gradients.try_bind(tensor.name, tensor.data);
  gradients.bind("loss_scale", &now_.loss_scale);
  gradients.run(first ? Executor::Parameters::changed : Executor::Parameters::same);
  task_.count(gradients, batch, tally);
}

void StepRunner::move_statistics(float scale) {
  stat_scale_ = scale;
  executors_.statistics.run();
}

Tally StepRunner::run(const StepInputs& inputs, const std::function<const Batch&()>& next) {
  now_ = inputs;
  Tally tally;
  if (alone()) {
    run_part(executors_.gradients, next(), tally);
    move_statistics(1 / static_cast<float>(shape_.replicas));
    update(inputs, tally, shape_.replicas);
    return tally;
  }
  const std::span<float> grads = state_.grads(), stats = state_.batch_stats();
  const size_t p = grads.size(), s = stats.size();
  const auto micros = static_cast<size_t>(shape_.accumulation);
  const std::span<float> leaf(reinterpret_cast<float*>(leaf_.data()), p + micros * s);
  for (int replica = 0; replica < shape_.replicas; ++replica) {
    for (size_t micro = 0; micro < micros; ++micro) {
      run_part(executors_.gradients, next(), tally, replica == 0 && micro == 0);
      const Chunks chunks{static_cast<int64_t>(p)};
      pool_.run(chunks.tasks(), [&](int task, int) {
        float* target = leaf.data() + chunks.begin(task);
        const float* term = grads.data() + chunks.begin(task);
        if (micro == 0) {
          std::copy_n(term, chunks.length(task), target);
        } else {
          kernels::accumulate(target, term, chunks.length(task));
        }
      });
      std::copy(stats.begin(), stats.end(),
                leaf.begin() + static_cast<std::ptrdiff_t>(p + micro * s));
    }
    tree_->push(leaf, pool_);
  }
  tree_->finish(leaf, pool_);
  std::copy_n(leaf.begin(), p, grads.begin());
  const auto replicas = static_cast<float>(shape_.replicas);
  if (inputs.bn_per_step) {
    std::fill(stats.begin(), stats.end(), 0.0f);
    for (size_t micro = 0; micro < micros; ++micro) {
      kernels::accumulate(stats.data(), leaf.data() + p + micro * s, static_cast<int64_t>(s));
    }
    move_statistics(1 / (replicas * static_cast<float>(micros)));
  } else {
    for (size_t micro = 0; micro < micros; ++micro) {
      std::copy_n(leaf.begin() + static_cast<std::ptrdiff_t>(p + micro * s), s, stats.begin());
      move_statistics(1 / replicas);
    }
  }
  update(inputs, tally, shape_.replicas * shape_.accumulation);
  return tally;
}

Tally StepRunner::run_tail(const StepInputs& inputs, const Batch& batch, Executor& gradients) {
  expect(alone() && shape_.replicas == 1, "a short step is one batch");
  now_ = inputs;
  Tally tally;
  run_part(gradients, batch, tally);
  move_statistics(1);
  update(inputs, tally, 1);
  return tally;
}

void StepRunner::update(const StepInputs& inputs, const Tally& tally, int terms) {
  grad_scale_ = 1 / (static_cast<float>(terms) * inputs.loss_scale);
  skip_ = inputs.skip_update || !std::isfinite(tally.loss) ? 1 : 0;
  executors_.update.run();
}

}  // namespace convoy
