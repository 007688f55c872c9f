#include "train/step_peers.h"

#include "train/step_runner.h"
#include "train/update_shares.h"

namespace convoy {

StepPeers::StepPeers(Transport& transport, const StepShape& shape, const StateLayout& layout,
                     const Options& options, ThreadPool& pool)
    : transport_(transport),
      split_(shape.replicas, transport.size()),
      gradients_(transport, split_,
                 {.floats = layout.param_floats + shape.accumulation * layout.stat_floats,
                  .buckets = buckets(shape, layout, options),
                  .narrow_floats = options.narrow ? layout.param_floats : 0,
                  .shares = options.shard ? UpdateShares::split(layout, transport.size(), 0).all
                                          : std::vector<Bucket>{}},
                 pool),
      shards_(options.shard),
      tally_(transport, split_.most() * shape.accumulation * shape.micro_batch),
      each_part_(shape.plan_batch()) {}

std::vector<Bucket> StepPeers::buckets(const StepShape& shape, const StateLayout& layout,
                                       const Options& options) {
  std::vector<Bucket> all = cut_into_buckets(learning_floats(layout), options.bucket_floats);
  const int64_t stats = shape.accumulation * layout.stat_floats;
  if (stats > 0) all.push_back({layout.param_floats, stats});
  return all;
}

void StepPeers::start() {
  gradients_.start();
  tally_.start();
}

void StepPeers::add(const Task& task, const Executor& executor, const Batch& batch, int part) {
  tally_.add(task, executor, batch, part * each_part_);
}

Tally StepPeers::gather() {
  Tally tally;
  const int64_t stop = tally_.gather(signal_ ? signal_->load() : 0, tally);
  if (!stop_) stop_ = static_cast<int>(stop);
  return tally;
}

}  // namespace convoy
