// One optimizer step as a list of actions: what runs, is added up and exchanged, in which order. A
// writer for each way to run the replicas of a process makes it before the first step; `StepRunner`
// goes through it, `check_schedules` looks at those of all ranks together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/step/step_shape.h"

namespace convoy {

struct Action {
  enum class Kind : uint8_t {
    open,        // the exchange of a step: from now on other ranks may send
    batch,       // the loader's next batch becomes the input of that micro-batch
    run,         // a plan, for one replica, several as one batch, or several in lockstep
    count,       // the results of a run are kept
    leaf,        // what a run has made is added to what its replica has
    round,       // of a replica: to bf16
    push,        // all that a replica has goes to the tree
    sum,         // over the replicas here, the last of which need not be pushed
    begin,       // the exchange of a sum with the other ranks
    end,         // of every exchange that was begun: waits for the other ranks
    results,     // those of all ranks, in the order of samples; waits for the other ranks
    statistics,  // running statistics move
    update,      // of the parameters
    gather,      // each rank's share of the new parameters goes to all; waits for the other ranks
    send,        // to a peer; does not wait
    receive,     // from a peer; waits for it
  };
  // What of the gradients and statistics an action is about: the number of a bucket of gradients,
  // or:
  static constexpr int gradients = -1;   // all of them
  static constexpr int statistics = -2;  // those of each micro-batch
  static constexpr int every = -1;       // of micro-batches: all of them

  Kind kind;
  std::string_view plan = {};     // of `run`
  int replica = 0, replicas = 0;  // the first of the run, and how many; 0: about none
  int micro = 0;                  // its number within the step of a replica
  int part = gradients;
  // It belongs to the run before it: it is done in the middle of that, when its bucket is complete.
  bool inside = false;
  bool fresh = false;  // `run`: parameters have changed since the plan ran last
  int peer = -1;       // `send`, `receive`: a rank
  // A plan of the forward pass alone keeps what the backward pass needs in that place of the stash,
  // and a plan of the backward pass takes it from there. -1: the plan needs none.
  int stash = -1;
};

struct StepSchedule {
  std::vector<Action> actions;
  ReplicaRange mine = {};  // the replicas of this rank
  int micros = 1;          // micro-batches of each
  bool waits = false;      // in the middle of each run for the same run of other ranks
  int group = 0;           // ranks of one number have the same parameters, and exchange gradients
};

// What a step sums, which a writer must know besides its shape.
struct StepParts {
  int buckets = 0;          // of gradients, exchanged with other processes
  bool statistics = false;  // the model has statistics of batch norms
};

// One run of the plan for everything here; also of the plan for the short last step of an epoch.
StepSchedule one_run_schedule(const StepShape& shape, const StepParts& parts,
                              std::string_view plan = "train");
// A run for each micro-batch of each replica, one after another.
StepSchedule sequence_schedule(const StepShape& shape, const StepParts& parts);
// The replicas run in lockstep, micro-batch by micro-batch.
StepSchedule lockstep_schedule(const StepShape& shape, const StepParts& parts);

// The one for that shape.
StepSchedule schedule_of(const StepShape& shape, const StepParts& parts);

// "run train, replica 0, micro 1".
std::string to_string(const Action& action);
// A line for each action; what is done inside a run is indented.
std::string to_string(const StepSchedule& schedule);

}  // namespace convoy
