// One optimizer step of one process as a list of actions: which plans run, what is summed and
// exchanged, and in which order. The list is made before the first step, by one function for each
// way to run the replicas of a process. `StepRunner` executes it, `check_schedules` verifies the
// lists of all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/step/step_shape.h"

namespace convoy {

// One action of a step. The leaf of a replica has its gradients, summed over its micro-batches, and
// the batch statistics of each micro-batch (train/step/step_sums.h); leaves are summed over the
// replicas in a tree. If a single run gives the gradients of all replicas of this process, already
// summed, there are no leaves; a `sum` then only copies the statistics to where they are exchanged.
struct Action {
  enum class Kind : uint8_t {
    open,            // opens the step's exchange: other ranks may send from now on
    batch,           // takes the loader's next batch as the input of the next run of its replicas
    run,             // runs a plan: for one replica, for several as one batch, or in lockstep
    record_results,  // stores losses and metrics of the samples of a run
    leaf,            // adds `part` of what a run computed to the leaves of its replicas
    round,           // rounds each replica's gradients (`part`) to bf16
    push,            // adds a complete leaf, with statistics, to the tree; its memory is then free
    sum,             // sums `part` over all leaves of this process, pushed or not
    begin,           // begins to sum `part` over all ranks
    end,             // ends all exchanges begun: waits for the other ranks
    results,         // gathers the results of all ranks in the order of samples: waits for them
    statistics,      // updates the running statistics from the batch statistics of `micro`
    update,          // updates the parameters
    gather,          // gathers the new parameters from all ranks' shares: waits
  };
  // Values of `part`: the number of a bucket of gradients, or one of these two.
  static constexpr int gradients = -1;   // all gradients
  static constexpr int statistics = -2;  // batch statistics; Kind::statistics is something else
  static constexpr int every = -1;       // value of `micro`: all micro-batches

  Kind kind;
  std::string_view plan = {};     // the plan of a `run`
  int replica = 0, replicas = 0;  // first replica, as numbered in the run, and how many; 0: none
  int micro = 0;                  // which micro-batch of each of these replicas in this step
  int part = gradients;           // of `leaf`, `round`, `sum`, `begin`; no meaning in the others
  // Executed in the middle of the last `run` before it in the list, when bucket `part` is complete.
  // The actions of one bucket keep their order; buckets come in the order in which they are
  // complete.
  bool inside = false;
  bool fresh = false;  // `run`: parameters changed since this plan's last run
};

struct StepSchedule {
  std::vector<Action> actions;
  ReplicaRange mine = {};  // this rank's replicas
  int micros = 1;          // micro-batches per replica
  bool waits = false;      // a run may wait for values that other ranks compute in the same run
};

// What a step sums and exchanges. With the shape of the step it determines the schedule.
struct ExchangedParts {
  int buckets = 0;          // buckets of gradients exchanged with other processes
  bool statistics = false;  // the model has batch-norm statistics
};

// One run of the plan with all replicas of this process as one batch, without leaves. Also for the
// short last step of an epoch (plan "tail"), which only runs of a single replica have.
StepSchedule one_run_schedule(const StepShape& shape, const ExchangedParts& parts,
                              std::string_view plan = "train");
// A run for each micro-batch of each replica, one after another; all replicas but the last are
// pushed.
StepSchedule sequence_schedule(const StepShape& shape, const ExchangedParts& parts);
// Replicas run in lockstep (node by node together, each in its own memory), micro-batch by
// micro-batch, each with a leaf of its own. Either all of this process, and nothing is pushed; or
// (`StepShape::groups_in_turn`) those of a group, one group after another, and all but the last are
// pushed.
StepSchedule lockstep_schedule(const StepShape& shape, const ExchangedParts& parts);

// The schedule that suits the shape.
StepSchedule schedule_of(const StepShape& shape, const ExchangedParts& parts);

// For example "run train, replica 0, micro 1".
std::string to_string(const Action& action);
// One line per action; actions inside a run are indented.
std::string to_string(const StepSchedule& schedule);

}  // namespace convoy
