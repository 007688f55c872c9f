#include "train/step/step_sums.h"

#include <algorithm>

#include "base/error.h"
#include "kernels/cast.h"
#include "kernels/sums.h"
#include "tensor/kernel.h"

namespace convoy {
namespace {

int64_t floats_of_leaf(const StepShape& shape, const StateLayout& layout) {
  return layout.param_floats + shape.accumulation * layout.stat_floats;
}

// The leaves of the last group, or of the last replica, are not pushed.
int pushed(const StepShape& shape) { return shape.local_replicas() - shape.lanes(); }

}  // namespace

void round_to_bf16(std::span<float> values, ThreadPool& pool) {
  const Chunks chunks{std::ssize(values), 4096};
  pool.run(chunks.tasks(), [&](int task, int) {
    uint16_t narrow[4096];
    float* x = values.data() + chunks.begin(task);
    kernels::f32_to_bf16(x, narrow, chunks.length(task));
    kernels::bf16_to_f32(narrow, x, chunks.length(task));
  });
}

int64_t StepSums::bytes(const StepShape& shape, const StateLayout& layout) {
  if (shape.is_one_run()) return 0;
  const int64_t floats = floats_of_leaf(shape, layout);
  return floats * 4 * shape.lanes() + TreeAccumulator::bytes(floats, pushed(shape));
}

StepSums::StepSums(const StepShape& shape, const StateLayout& layout, ThreadPool& pool)
    : stats_(layout.stat_floats),
      params_(layout.param_floats),
      leaf_floats_(floats_of_leaf(shape, layout)),
      leaves_(shape.lanes()),
      micros_(shape.accumulation),
      pool_(pool),
      memory_(float_bytes(leaf_floats_ * leaves_)),
      tree_(leaf_floats_, pushed(shape)) {}

Bucket StepSums::statistics(int micro) const { return {params_ + micro * stats_, stats_}; }
Bucket StepSums::all_statistics() const { return {params_, micros_ * stats_}; }

std::span<float> StepSums::leaf(int replica, const Bucket& where) const {
  const int64_t row = replica % leaves_;
  return {reinterpret_cast<float*>(memory_.data()) + row * leaf_floats_ + where.begin,
          static_cast<size_t>(where.count)};
}

void StepSums::add(int replica, int micro, const Bucket& where, const float* values) {
  float* target = leaf(replica, where).data();
  const Chunks chunks{where.count};
  pool_.run(chunks.tasks(), [&](int task, int) {
    const int64_t at = chunks.begin(task);
    if (micro == 0) {
      std::copy_n(values + at, chunks.length(task), target + at);
    } else {
      kernels::accumulate(target + at, values + at, chunks.length(task));
    }
  });
}

void StepSums::set_statistics(int replica, int micro, std::span<const float> values) {
  std::ranges::copy(values, leaf(replica, statistics(micro)).begin());
}

void StepSums::push(int replica) { tree_.push(leaf(replica, {0, leaf_floats_}), pool_); }

void StepSums::sum(const Bucket& where, std::span<float> target) {
  const std::span<float> first = leaf(0, where);
  if (leaves_ > 1) {
    const Chunks chunks{where.count};
    pool_.run(chunks.tasks(), [&](int task, int) {
      kernels::tree_sum(first.data() + chunks.begin(task), leaf_floats_, leaves_,
                        chunks.length(task));
    });
  }
  tree_.sum(first, where.begin, target, pool_);
}

}  // namespace convoy
