// One optimizer step as a list of actions: which plans run, what is summed and exchanged, and in
// which order. There is one function for each way to run a process's replicas; it makes the list
// before the first step. `StepRunner` executes it, `check_schedules` verifies the lists of all
// ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/step/step_shape.h"

namespace convoy {

struct Action {
  enum class Kind : uint8_t {
    open,        // opens the step's exchange: other ranks may send from now on
    batch,       // the loader's next batch becomes the input of a micro-batch
    run,         // runs a plan: one replica, several as one batch, or several in lockstep
    count,       // stores the results of a run
    leaf,        // adds the gradients or statistics of a run to the leaf of its replica
    round,       // rounds a replica's gradients to bf16
    push,        // adds a complete leaf to the tree over the replicas
    sum,         // sums over this process's replicas; the last leaf need not be pushed
    begin,       // begins to exchange a sum with the other ranks
    end,         // ends all exchanges begun: waits for the other ranks
    results,     // gathers the results of all ranks in the order of samples: waits
    statistics,  // updates the running statistics
    update,      // updates the parameters
    gather,      // gathers the new parameters from all ranks' shares: waits
    send,        // sends to another rank; does not wait
    receive,     // receives from another rank: waits
  };
  // Values of `part`: the number of a bucket of gradients, or one of the first two below.
  static constexpr int gradients = -1;   // all gradients
  static constexpr int statistics = -2;  // the statistics of each micro-batch
  static constexpr int every = -1;       // value of `micro`: all micro-batches

  Kind kind;
  std::string_view plan = {};     // the plan of a `run`
  int replica = 0, replicas = 0;  // first replica and number of replicas; 0: none
  int micro = 0;                  // index within the step of a replica
  int part = gradients;
  // Executed in the middle of the preceding run, when the bucket is complete.
  bool inside = false;
  bool fresh = false;  // `run`: parameters changed since this plan's last run
  int peer = -1;       // `send`, `receive`: the other rank
  // The place in the stash: a forward plan stores there what the backward pass needs, and a
  // backward plan takes it from there. -1: none.
  int stash = -1;
};

struct StepSchedule {
  std::vector<Action> actions;
  ReplicaRange mine = {};  // this rank's replicas
  int micros = 1;          // micro-batches per replica
  bool waits = false;      // each run waits in its middle for the same run of other ranks
  int group = 0;           // ranks of a group have the same parameters and exchange gradients
};

// What a step sums; needed besides its shape to write a schedule.
struct StepParts {
  int buckets = 0;          // buckets of gradients exchanged with other processes
  bool statistics = false;  // the model has batch-norm statistics
};

// One run of the plan with all replicas as one batch; also for the short last step of an epoch.
StepSchedule one_run_schedule(const StepShape& shape, const StepParts& parts,
                              std::string_view plan = "train");
// A run for each micro-batch of each replica, one after another.
StepSchedule sequence_schedule(const StepShape& shape, const StepParts& parts);
// The replicas run in lockstep, micro-batch by micro-batch.
StepSchedule lockstep_schedule(const StepShape& shape, const StepParts& parts);

// The schedule that suits the shape.
StepSchedule schedule_of(const StepShape& shape, const StepParts& parts);

// For example "run train, replica 0, micro 1".
std::string to_string(const Action& action);
// One line per action; actions inside a run are indented.
std::string to_string(const StepSchedule& schedule);

}  // namespace convoy
