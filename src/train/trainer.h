// The training loop. It emits events and prints nothing; it saves, stops and resumes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "dist/run_watch.h"
#include "train/checkpoint.h"
#include "train/evaluate.h"
#include "train/event.h"
#include "train/run_dir.h"
#include "train/run_needs.h"
#include "train/run_progress.h"
#include "train/run_setup.h"
#include "train/trace.h"
#include "train/whole_slots.h"
#include "weights/safetensors.h"

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

  bool writes_files() const { return !transport_ || transport_->rank() == 0; }
  // Raises unless all ranks would train the same.
  void compare_with_peers();
  // What rank 0 has brought back, or made, for everybody.
  void share_start();
  // The signal that asks everybody to end, the same on all ranks; 0: none.
  int asked_to_stop();
  // As above, when every rank asks at once.
  int agree_on_signal();
  void tell_exchange();
  void warn_of_uneven_split();

  void start();
  bool restore();  // false: there is no checkpoint
  void announce_run();

  void train_one_step(Loader& loader);
  // The trace of the first steps ends here, when there is one.
  void end_trace();
  void move_average();
  // The loader's next; what is no image in it is told and counted.
  const Batch& next_batch(Loader& loader);
  void tell_bad(const Batch::Bad& bad);
  void report_step(double lr, const Tally& tally, const Loader& loader);
  // False: a signal came while evaluating.
  bool finish_boundary();
  struct Evaluation {
    EvalDone plain;
    std::optional<EvalDone> average;
    // What decides which weights are best.
    const EvalDone& counts() const { return average ? *average : plain; }
  };
  std::optional<Evaluation> evaluate();
  std::optional<EvalDone> evaluate_once(bool average);
  int stop_here();

  // After every step, with --max-hours: how many more there is time for.
  void fit_into_time();
  bool lost_patience();
  void end_at(int64_t last_step, std::string reason);

  bool ends_epoch() const;
  bool crosses(double every_epochs, double first = 0) const;
  void save(bool scheduled);
  // Tells of it unless `is_told`, which is true afterwards.
  void write_checkpoint(const WholeSlots& slots, bool scheduled, bool& is_told);
  void write_in_place(const std::function<void()>& write);
  // The run's folder, wherever it is by now; a new one beside where it was, when it was removed.
  fs::path place();
  // The run ends with an error that tells where all was saved, unless its folder is where it was.
  void expect_in_place();
  void restore_tensors(const Checkpoint& from);
  void restore_progress(const Checkpoint& from);
  void check_options(const Checkpoint& from);
  void warn_of_other_arithmetic(const TrainState& before);
  void write_weights(const std::string& file, bool average);
  Metadata metadata(bool average) const;
  std::vector<TensorEntry> optimizer_tensors(const WholeSlots& slots);
  std::string hash();
  std::string algorithms() const;
  double elapsed() const;
  // For people, where the length of the run was changed; empty: it was not.
  std::string length_from_here() const;
  fs::path data_file() const { return dir_.path() / "data.jsonl"; }

  const RunConfig& config_;
  const RunDir& dir_;
  Listener& listener_;
  const std::atomic<int>& stop_;
  Transport* const transport_;
  RunWatch watch_;

  RunSetup setup_;
  MemoryNeeds memory_;  // as foreseen
  Network network_;
  std::optional<Evaluator> evaluator_;  // none with --eval-epochs 0
  CheckpointStore checkpoints_;
  std::unique_ptr<WholeSlots> start_slots_;  // until all have begun

  std::optional<RunDir> rescued_;  // where the run is saved when its folder was removed

  std::unique_ptr<Trace> trace_;
  RunProgress progress_;
  bool best_now_ = false;         // the newest evaluation was the best so far
  bool changes_options_ = false;  // goes on with others than the checkpoint was made with
  bool begun_ = false;            // the run's events have started
  int64_t saved_step_ = -1;       // of the checkpoint that holds all of `progress_`; -1: none does
  double started_ = 0;
  // Of this process.
  int64_t first_step_ = 0, boundaries_ = 0;
  double boundary_seconds_ = 0;
  // Since the last recorded step.
  double mark_seconds_ = 0, mark_wait_ = 0;
  int64_t mark_step_ = 0, mark_samples_ = 0;
};

}  // namespace convoy
