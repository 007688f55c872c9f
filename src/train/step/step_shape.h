// How the samples of one optimizer step are cut: micro-batches, replicas, processes.
#pragma once

#include <cstdint>

#include "dist/replica_split.h"

namespace convoy {

struct StepShape {
  int64_t micro_batch = 1;  // images of one replica
  int replicas = 1;
  int accumulation = 1;
  // The replicas here run as one batch; needs accumulation 1 and full precision.
  bool together = false;
  // Every replica's gradient is rounded to bf16, whether or not it travels.
  bool narrow = false;
  // Replicas that share the statistics of batch norms. Above 1 the replicas here run in lockstep,
  // each with its own memory.
  int span = 1;
  bool bn_per_step = false;  // running statistics move once a step, not with every micro-batch

  // The processes that share the replicas, which of them this is, and its replicas; none: all.
  int processes = 1, rank = 0;
  ReplicaRange mine = {};
  bool shard = false;               // each process updates its share of the parameters
  int64_t bucket_floats = 1 << 20;  // of the gradients, exchanged at once

  // The same step as another process sees it.
  StepShape of_rank(int other) const {
    StepShape shape = *this;
    shape.rank = other;
    shape.mine = ReplicaSplit(replicas, processes).range(other);
    return shape;
  }

  bool lockstep() const { return span > 1; }
  bool has_peers() const { return processes > 1; }
  // A single run of the plan makes the gradients of this process.
  bool is_one_run() const { return parts() == 1 && !lockstep(); }
  // Runs of the plan in a step; in lockstep: of all replicas at once.
  int runs() const { return lockstep() ? accumulation : parts(); }

  int local() const { return mine.count ? mine.count : replicas; }
  int64_t plan_batch() const { return together ? micro_batch * local() : micro_batch; }
  int plan_replicas() const { return together ? local() : 1; }
  int parts() const { return together ? 1 : local() * accumulation; }
  int64_t global_batch() const { return micro_batch * replicas * accumulation; }
  // Of the process that has most of them.
  int64_t most_samples() const {
    return ReplicaSplit(replicas, processes).most() * accumulation * micro_batch;
  }
  // The samples of a step that come before this process's.
  int64_t first_sample() const { return mine.first * accumulation * micro_batch; }
};

}  // namespace convoy
