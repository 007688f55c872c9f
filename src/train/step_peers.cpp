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
      shards_(options.shard) {}

std::vector<Bucket> StepPeers::buckets(const StepShape& shape, const StateLayout& layout,
                                       const Options& options) {
  std::vector<Bucket> all = cut_into_buckets(learning_floats(layout), options.bucket_floats);
  const int64_t stats = shape.accumulation * layout.stat_floats;
  if (stats > 0) all.push_back({layout.param_floats, stats});
  return all;
}

}  // namespace convoy
