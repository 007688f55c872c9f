#include "train/step_runner.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "kernels/cast.h"
#include "kernels/sums.h"
#include "ops/exchange.h"
#include "tensor/kernel.h"
#include "train/step_peers.h"
#include "train/trace.h"

namespace convoy {

namespace {

// A replica's gradients, and the statistics of each of its micro-batches.
int64_t leaf_floats(const StepShape& shape, const StateLayout& state) {
  return state.param_floats + shape.accumulation * state.stat_floats;
}

}  // namespace

int64_t StepRunner::sum_bytes(const StepShape& shape, const StateLayout& state) {
  const int64_t floats = leaf_floats(shape, state);
  if (shape.in_step()) return floats * 4 * shape.local();
  return floats * 4 + TreeAccumulator::bytes(floats, shape.local());
}

StepRunner::StepRunner(const StepShape& shape, const Task& task, const State& state,
                       ThreadPool& pool, const Executors& executors, StepPeers* peers)
    : shape_(shape), task_(task), state_(state), pool_(pool), executors_(executors), peers_(peers) {
  expect(!shape.together || (shape.accumulation == 1 && !shape.narrow),
         "replicas run together only without accumulation and in full precision");
  executors_.statistics.bind("bn_momentum", &now_.bn_momentum);
  executors_.statistics.bind("stat_scale", &stat_scale_);
  executors_.update.bind("learning_rate", &now_.learning_rate);
  executors_.update.bind("grad_scale", &grad_scale_);
  executors_.update.bind("step", &now_.step);
  executors_.update.bind("skip_update", &skip_);
  const int64_t floats = leaf_floats(shape, state.layout());
  if (shape.in_step()) {
    leaf_.reserve(static_cast<size_t>(floats * shape.local()) * sizeof(float));
    all_ = {&executors_.gradients};
    for (const ReplicaInStep& other : executors_.others) all_.push_back(other.executor);
    expect(std::ssize(all_) == shape.local() && executors_.spans, "what replicas in step need");
    const Plan& plan = executors_.gradients.plan();
    for (const Step& step : plan.steps) {
      span_after_.push_back(ops::marked_span(plan.graph.node(step.node)));
    }
    given_.resize(all_.size());
    gathered_.resize(all_.size());
    losses_.resize(static_cast<size_t>(shape.parts() * shape.micro_batch));
  } else if (!alone()) {
    leaf_.reserve(static_cast<size_t>(floats) * sizeof(float));
    tree_.emplace(floats, shape.local());
  }
  if (!peers_) return;
  expect(peers_->gradients().data().data() == state.grads().data(), "gradients that others see");
  const Plan& plan = executors_.gradients.plan();
  for (const Step& step : plan.steps) {
    bucket_after_.push_back(ops::marked_bucket(plan.graph.node(step.node)));
  }
  if (!shape.in_step()) {
    executors_.gradients.after_step([this](size_t step) { after_step(step); });
  }
  if (peers_->shards()) share_rows();
}

void StepRunner::share_rows() {
  const Plan& plan = executors_.update.plan();
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.node(step.node);
    const std::vector<int64_t>* cuts = ops::marked_rows(node);
    const size_t bytes = cuts ? stored_bytes(plan.graph.type(node.in[0])) : 0;
    rows_after_.push_back(cuts ? std::make_unique<RowExchange>(peers_->transport(), *cuts,
                                                               bytes / size_t(cuts->back()))
                               : nullptr);
  }
  executors_.update.after_step([this](size_t step) {
    if (!rows_after_[step]) return;
    const Graph& graph = executors_.update.plan().graph;
    const Value rows = graph.node(executors_.update.plan().steps[step].node).in[0];
    rows_after_[step]->run(
        std::span(executors_.update.input_of(step, 0), stored_bytes(graph.type(rows))));
  });
}

std::span<float> StepRunner::sums() const {
  const auto floats = static_cast<size_t>(leaf_floats(shape_, state_.layout()));
  if (peers_) return peers_->gradients().data().first(floats);
  return {reinterpret_cast<float*>(leaf_.data()), floats};
}

void StepRunner::bind(Executor& gradients, const Batch& batch) {
  for (const NamedTensor& tensor : batch.tensors()) gradients.try_bind(tensor.name, tensor.data);
  gradients.bind("loss_scale", &now_.loss_scale);
}

void StepRunner::run_part(Executor& gradients, const Batch& batch, Tally& tally, bool first) {
  bind(gradients, batch);
  run_plan(
      [&] { gradients.run(first ? Executor::Parameters::changed : Executor::Parameters::same); });
  if (peers_) {
    peers_->add(task_, gradients, batch, part_++);
  } else {
    task_.count(gradients, batch, tally);
  }
}

void StepRunner::move_statistics(float scale) {
  const TraceSpan span(trace_, "statistics", "phase");
  stat_scale_ = scale;
  executors_.statistics.run();
}

// Between the steps of the plan, where there are other processes.
void StepRunner::after_step(size_t step) {
  if (is_last_part_ && bucket_after_[step] >= 0) send_bucket(bucket_after_[step]);
  peers_->gradients().progress();
  note_progress();
}

void StepRunner::send_bucket(int bucket) {
  GradientExchange& exchange = peers_->gradients();
  const Bucket& where = exchange.buckets()[static_cast<size_t>(bucket)];
  const auto begin = static_cast<size_t>(where.begin), count = static_cast<size_t>(where.count);
  if (!alone()) {
    add_to_leaf(where.begin, where.count, is_first_micro_, true);
    const std::span<float> leaf(reinterpret_cast<float*>(leaf_.data()) + begin, count);
    tree_->finish_with(leaf, where.begin, exchange.data().subspan(begin, count), pool_);
  } else if (shape_.narrow) {
    round(exchange.data().data() + begin, where.count);
  }
  exchange.begin(bucket);
}

void StepRunner::round(float* gradients, int64_t count) {
  const Chunks chunks{count, 4096};
  pool_.run(chunks.tasks(), [&](int task, int) {
    uint16_t narrow[4096];
    float* x = gradients + chunks.begin(task);
    kernels::f32_to_bf16(x, narrow, chunks.length(task));
    kernels::bf16_to_f32(narrow, x, chunks.length(task));
  });
}

void StepRunner::add_to_leaf(int64_t begin, int64_t count, bool is_first, bool is_last) {
  float* leaf = reinterpret_cast<float*>(leaf_.data()) + begin;
  const float* grads = state_.grads().data() + begin;
  const Chunks chunks{count};
  pool_.run(chunks.tasks(), [&](int task, int) {
    float* target = leaf + chunks.begin(task);
    const float* term = grads + chunks.begin(task);
    if (is_first) {
      std::copy_n(term, chunks.length(task), target);
    } else {
      kernels::accumulate(target, term, chunks.length(task));
    }
  });
  if (is_last && shape_.narrow) round(leaf, count);
}

Tally StepRunner::run(const StepInputs& inputs, const std::function<const Batch&()>& next) {
  now_ = inputs;
  Tally tally;
  if (peers_) peers_->start();
  part_ = 0;
  if (shape_.in_step()) {
    run_in_step(next, tally);
  } else if (alone()) {
    run_alone(next(), tally);
  } else {
    run_parts(next, tally);
  }
  if (peers_) {
    const TraceSpan span(trace_, "exchange wait", "phase");
    peers_->gradients().finish();
    tally = peers_->gather();
  }
  apply(inputs, tally);
  return tally;
}

void StepRunner::run_alone(const Batch& batch, Tally& tally) {
  is_last_part_ = true;
  run_part(executors_.gradients, batch, tally);
  const std::span<float> stats = state_.batch_stats();
  if (peers_) {
    if (stats.empty()) return;
    std::copy(stats.begin(), stats.end(), sums().end() - std::ssize(stats));
    peers_->gradients().begin(static_cast<int>(peers_->gradients().buckets().size()) - 1);
  } else if (shape_.narrow) {
    round(state_.grads().data(), std::ssize(state_.grads()));
  }
}

void StepRunner::run_parts(const std::function<const Batch&()>& next, Tally& tally) {
  const std::span<float> stats = state_.batch_stats();
  const auto p = std::ssize(state_.grads()), s = std::ssize(stats);
  const int micros = shape_.accumulation;
  const std::span<float> leaf(reinterpret_cast<float*>(leaf_.data()),
                              static_cast<size_t>(p + micros * s));
  for (int replica = 0; replica < shape_.local(); ++replica) {
    const bool is_last_replica = replica == shape_.local() - 1;
    for (int micro = 0; micro < micros; ++micro) {
      const bool is_last_micro = micro == micros - 1;
      is_first_micro_ = micro == 0;
      is_last_part_ = is_last_replica && is_last_micro;
      run_part(executors_.gradients, next(), tally, replica == 0 && micro == 0);
      // With other processes, the buckets of the last part are on their way.
      if (!peers_ || !is_last_part_) add_to_leaf(0, p, is_first_micro_, is_last_micro);
      std::copy(stats.begin(), stats.end(), leaf.begin() + p + micro * s);
    }
    if (!peers_ || !is_last_replica) tree_->push(leaf, pool_);
  }
  if (!peers_) return tree_->finish(leaf, pool_);
  if (s > 0) {
    const auto behind = leaf.subspan(static_cast<size_t>(p));
    tree_->finish_with(behind, p, sums().subspan(static_cast<size_t>(p)), pool_);
    peers_->gradients().begin(static_cast<int>(peers_->gradients().buckets().size()) - 1);
  }
  tree_->clear();
}

const State& StepRunner::state_of(int replica) const {
  return replica == 0 ? state_ : *executors_.others[static_cast<size_t>(replica) - 1].state;
}

std::span<float> StepRunner::row(int replica) const {
  const int64_t floats = leaf_floats(shape_, state_.layout());
  return {reinterpret_cast<float*>(leaf_.data()) + replica * floats, static_cast<size_t>(floats)};
}

void StepRunner::add_to_rows(int64_t begin, int64_t count) {
  const Chunks chunks{count};
  for (int replica = 0; replica < shape_.local(); ++replica) {
    float* target = row(replica).data() + begin;
    const float* term = state_of(replica).grads().data() + begin;
    pool_.run(chunks.tasks(), [&](int task, int) {
      const int64_t at = chunks.begin(task);
      if (is_first_micro_) {
        std::copy_n(term + at, chunks.length(task), target + at);
      } else {
        kernels::accumulate(target + at, term + at, chunks.length(task));
      }
    });
    if (is_last_part_ && shape_.narrow) round(target, count);
  }
}

void StepRunner::sum_rows(int64_t begin, int64_t count) {
  const Chunks chunks{count};
  const int64_t stride = leaf_floats(shape_, state_.layout());
  float* rows = row(0).data() + begin;
  float* target = sums().data() + begin;
  pool_.run(chunks.tasks(), [&](int task, int) {
    const int64_t at = chunks.begin(task), n = chunks.length(task);
    kernels::tree_sum(rows + at, stride, shape_.local(), n);
    if (rows != target) std::copy_n(rows + at, n, target + at);
  });
}

// Between the steps of the plan, when all replicas here have done one.
void StepRunner::after_common_step(size_t step) {
  const auto nothing = [] {};
  if (const ops::SpanMark mark = span_after_[step]; mark.exchange >= 0) {
    SpanExchange& spans = *executors_.spans;
    if (!mark.ends) {
      for (size_t i = 0; i < all_.size(); ++i) {
        given_[i] = reinterpret_cast<const float*>(all_[i]->input_of(step, 0));
      }
      spans.publish(mark.exchange, given_);
    } else {
      for (size_t i = 0; i < all_.size(); ++i) {
        gathered_[i] = reinterpret_cast<float*>(all_[i]->input_of(step, 0));
      }
      if (peers_) {
        spans.collect(mark.exchange, given_, gathered_, [&] { peers_->gradients().progress(); });
      } else {
        spans.collect(mark.exchange, given_, gathered_, nothing);
      }
    }
  }
  if (!peers_) return;
  if (const int bucket = bucket_after_[step]; is_last_part_ && bucket >= 0) {
    const Bucket& where = peers_->gradients().buckets()[static_cast<size_t>(bucket)];
    add_to_rows(where.begin, where.count);
    sum_rows(where.begin, where.count);
    peers_->gradients().begin(bucket);
  }
  peers_->gradients().progress();
  note_progress();
}

void StepRunner::run_in_step(const std::function<const Batch&()>& next, Tally& tally) {
  const auto p = std::ssize(state_.grads()), s = std::ssize(state_.batch_stats());
  const int micros = shape_.accumulation, local = shape_.local();
  for (int micro = 0; micro < micros; ++micro) {
    is_first_micro_ = micro == 0;
    is_last_part_ = micro == micros - 1;
    for (int replica = 0; replica < local; ++replica) {
      const Batch& batch = next();
      const auto at = static_cast<size_t>(replica);
      if (batches_.size() <= at) batches_.push_back(std::make_unique<Batch>(batch.types()));
      batches_[at]->copy(batch);
      bind(*all_[at], *batches_[at]);
    }
    executors_.spans->start();
    run_plan([&] {
      Executor::run_in_step(all_,
                            micro == 0 ? Executor::Parameters::changed : Executor::Parameters::same,
                            [this](size_t step) { after_common_step(step); });
    });
    if (!peers_ || !is_last_part_) add_to_rows(0, p);
    for (int replica = 0; replica < local; ++replica) {
      const std::span<float> stats = state_of(replica).batch_stats();
      std::copy(stats.begin(), stats.end(), row(replica).begin() + p + micro * s);
      const Executor& executor = *all_[static_cast<size_t>(replica)];
      const Batch& batch = *batches_[static_cast<size_t>(replica)];
      const int part = replica * micros + micro;
      if (peers_) {
        peers_->add(task_, executor, batch, part);
        continue;
      }
      for (int64_t i = 0; i < batch.valid; ++i) {
        Tally one;
        task_.count(executor, batch, i, i + 1, one);
        losses_[static_cast<size_t>(part * shape_.micro_batch + i)] = one.loss;
        tally.samples += one.samples;
        tally.correct += one.correct;
        tally.correct5 += one.correct5;
      }
    }
  }
  if (!peers_) {
    for (const double loss : losses_) tally.loss += loss;
    return sum_rows(0, p + micros * s);
  }
  if (s > 0) {
    sum_rows(p, micros * s);
    peers_->gradients().begin(static_cast<int>(peers_->gradients().buckets().size()) - 1);
  }
}

// What the sums say is done: statistics move, and then the parameters.
void StepRunner::apply(const StepInputs& inputs, const Tally& tally) {
  const std::span<float> grads = state_.grads(), stats = state_.batch_stats();
  const auto replicas = static_cast<float>(shape_.replicas);
  const auto micros = shape_.accumulation;
  if (alone() && !peers_) {
    move_statistics(1 / replicas);
    return update(inputs, tally, shape_.replicas);
  }
  const std::span<const float> all = sums();
  const auto p = std::ssize(grads), s = std::ssize(stats);
  if (!peers_) std::copy_n(all.begin(), p, grads.begin());
  if (inputs.bn_per_step && !alone()) {
    std::fill(stats.begin(), stats.end(), 0.0f);
    for (int micro = 0; micro < micros; ++micro) {
      kernels::accumulate(stats.data(), all.data() + p + micro * s, s);
    }
    move_statistics(1 / (replicas * static_cast<float>(micros)));
  } else {
    for (int micro = 0; micro < micros; ++micro) {
      std::copy_n(all.begin() + p + micro * s, s, stats.begin());
      move_statistics(1 / replicas);
    }
  }
  update(inputs, tally, shape_.replicas * shape_.accumulation);
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
  const TraceSpan span(trace_, "update", "phase");
  executors_.update.run();
  if (peers_ && peers_->shards()) peers_->gather_params(state_.params());
}

}  // namespace convoy
