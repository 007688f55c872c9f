// The training loop: runs steps, emits events, evaluates, saves, stops and resumes. It prints
// nothing.
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
  // Opens the data and makes all plans, without writing files. `stop` is the number of the signal
  // that asks to end, or 0. `watch` observes the compiler passes. `transport`: to the other
  // processes of the run, of which only rank 0 writes files; null: a single process. Keeps the
  // references.
  Trainer(const RunConfig& config, const RunDir& dir, Listener& listener,
          const std::atomic<int>& stop, const PassWatch& watch = {},
          Transport* transport = nullptr);

  // Runs from the newest checkpoint of the run directory, or from the start. Returns the exit code:
  // 0, or 75 after a signal and a checkpoint.
  int run();

 private:
  int train();
  int train_on();
  // Restores the newest checkpoint or starts anew, identically on all ranks.
  void begin();
  void start(const WholeSlots& slots);

  void train_one_step(Loader& loader);
  // What follows from a loss or gradients that are not finite. False: no parameter was changed.
  bool judge_step(const Results& results);
  void move_average();
  // The loader's next batch; bad samples in it are reported and counted.
  const Batch& next_batch(Loader& loader);
  void tell_bad(const Batch::Bad& bad);
  void count_bad_of(const std::vector<Batch::Bad>& all);
  // Does what is due after a step. False: a signal came during the evaluation.
  bool finish_boundary();
  // Scores an evaluation: updates the best score and checks the patience.
  void judge(const RunEvaluation::Outcome& result);
  void begin_trace(Loader& loader);
  // Ends and writes the trace, if there is one.
  void end_trace(Loader& loader);
  // The signal that asks all ranks to end, the same on all of them; 0: none.
  int asked_to_stop();
  int stop_here();
  void tell_end(int exit, const std::string& hash);

  Transport* const transport_;
  const std::atomic<int>& stop_;
  RunWatch watch_;
  const RunSetup setup_;
  const MemoryNeeds memory_;  // forecast
  Network network_;
  const RunSite site_;
  RunState state_;
  RunFiles files_;
  RunEvaluation evaluation_;
  StepReport report_;
  TimeLimit time_limit_;
  std::unique_ptr<Trace> trace_;
  bool begun_ = false;  // the run's first events were emitted
};

}  // namespace convoy
