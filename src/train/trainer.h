// The training loop. It emits events and prints nothing; it saves, stops and resumes.
#pragma once

#include <atomic>
#include <memory>

#include "dist/run_watch.h"
#include "train/run/run_files.h"
#include "train/run/run_needs.h"
#include "train/run/run_site.h"
#include "train/run_evaluation.h"
#include "train/step_report.h"
#include "train/time_limit.h"

namespace convoy {

class Trainer {
 public:
  // Opens the data and plans everything; nothing is written yet. `stop` holds the number of the
  // signal that asks to end, or 0. Keeps the references; `watch` is for whoever looks at the
  // passes.
  // `transport`: to the other processes of the run, of which rank 0 alone writes files; null: there
  // are none.
  Trainer(const RunConfig& config, const RunDir& dir, Listener& listener,
          const std::atomic<int>& stop, const PassWatch& watch = {},
          Transport* transport = nullptr);

  // From the newest checkpoint of the run directory, or from the start when there is none. Gives
  // the exit code: 0, or 75 when stopped by a signal after a checkpoint.
  int run();

 private:
  int train();
  int train_on();
  // Brings back what the folder holds, or starts anew; on all ranks alike.
  void begin();
  void start(const WholeSlots& slots);

  void train_one_step(Loader& loader);
  void move_average();
  // The loader's next; what is no image in it is told and counted.
  const Batch& next_batch(Loader& loader);
  void tell_bad(const Batch::Bad& bad);
  void count_bad_of(const std::vector<Batch::Bad>& all);
  // What is due after a step. False: a signal came while evaluating.
  bool finish_boundary();
  // Scores an evaluation: which weights are best, and whether there is patience left.
  void judge(const RunEvaluation::Outcome& result);
  // The trace of the first steps ends here, when there is one.
  void end_trace();
  // The signal that asks all ranks to end, the same on all of them; 0: none.
  int asked_to_stop();
  int stop_here();
  void tell_end(int exit, const std::string& hash);

  Transport* const transport_;
  const std::atomic<int>& stop_;
  RunWatch watch_;
  const RunSetup setup_;
  const MemoryNeeds memory_;  // as foreseen
  Network network_;
  const RunSite site_;
  RunState state_;
  RunFiles files_;
  RunEvaluation evaluation_;
  StepReport report_;
  TimeLimit time_limit_;
  std::unique_ptr<Trace> trace_;
  bool begun_ = false;  // the run's events have started
};

}  // namespace convoy
