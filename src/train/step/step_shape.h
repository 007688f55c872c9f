// How the samples of one optimizer step are divided among processes, replicas and micro-batches.
// Only `rank` and `mine` differ between processes.
#pragma once

#include <bit>
#include <cstdint>

#include "dist/replica_split.h"

namespace convoy {

struct StepShape {
  int64_t micro_batch = 1;  // images of one micro-batch of one replica
  int replicas = 1;         // of all processes
  int accumulation = 1;     // micro-batches per replica
  // This process's replicas run as one batch; needs accumulation 1 and gradients in fp32.
  bool together = false;
  // Every replica's gradient is rounded to bf16, even if it is not sent.
  bool narrow = false;
  // The number of replicas that share batch-norm statistics. Above 1 these replicas run in
  // lockstep, each with its own memory.
  int span = 1;
  bool bn_per_step = false;  // update running statistics once per step, not per micro-batch

  // The processes that share the replicas, the rank of this one, and its replicas; empty: all.
  int processes = 1, rank = 0;
  ReplicaRange mine = {};
  bool shard = false;               // each process updates only its share of the parameters
  int64_t bucket_floats = 1 << 20;  // about the size of a bucket of gradients

  // The same step for another rank.
  StepShape of_rank(int other) const {
    StepShape shape = *this;
    shape.rank = other;
    shape.mine = ReplicaSplit(replicas, processes).range(other);
    return shape;
  }

  bool lockstep() const { return span > 1; }
  // In lockstep, whether the groups of a process run one after another and use the same memory.
  // Needs groups that are whole in every process, and subtrees of the sum over replicas.
  bool groups_in_turn() const {
    return lockstep() && std::has_single_bit(static_cast<unsigned>(span)) &&
           ReplicaSplit(replicas, processes).has_whole_groups(span);
  }
  // The replicas of this process that are in memory at once, each with its own executor; else 1.
  int lanes() const {
    if (!lockstep()) return 1;
    return groups_in_turn() ? span : local_replicas();
  }
  bool has_peers() const { return processes > 1; }
  // One run of the plan gives gradients that are already summed over this process's replicas. Never
  // in lockstep, where each replica has its own.
  bool is_one_run() const { return micro_batches() == 1 && !lockstep(); }
  // The runs of the plan per step; a run in lockstep counts once.
  int runs() const { return lockstep() ? groups() * accumulation : micro_batches(); }
  int groups() const { return lockstep() ? local_replicas() / lanes() : 1; }

  int local_replicas() const { return mine.count ? mine.count : replicas; }  // of this process
  // The images and replicas in one run of the plan; in lockstep, of one executor.
  int64_t plan_batch() const { return together ? micro_batch * local_replicas() : micro_batch; }
  int plan_replicas() const { return together ? local_replicas() : 1; }
  // The micro-batches of this process; replicas that run together count as one.
  int micro_batches() const { return together ? 1 : local_replicas() * accumulation; }
  // The samples of a step, over all processes.
  int64_t global_batch() const { return micro_batch * replicas * accumulation; }
  // The samples of the process that has the most.
  int64_t most_samples() const {
    return ReplicaSplit(replicas, processes).most() * accumulation * micro_batch;
  }
  // The index of this process's first sample in the step.
  int64_t first_sample() const { return mine.first * accumulation * micro_batch; }
};

}  // namespace convoy
