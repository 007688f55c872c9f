#include "train/step/step_peers.h"

#include "train/update/update_shares.h"

namespace convoy {

StepPeers::StepPeers(Transport& transport, const StepShape& shape, const StateLayout& layout,
                     const std::vector<Bucket>& buckets, ThreadPool& pool)
    : transport_(transport),
      split_(shape.replicas, transport.size()),
      gradients_(transport, split_,
                 {.floats = layout.param_floats + shape.accumulation * layout.stat_floats,
                  .buckets = buckets,
                  .narrow_floats = shape.narrow ? layout.param_floats : 0,
                  .shares = shape.shard ? UpdateShares::split(layout, transport.size(), 0).all
                                        : std::vector<Bucket>{}},
                 pool) {}

}  // namespace convoy
