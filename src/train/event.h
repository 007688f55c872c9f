// What a run says while it happens. Training emits these and prints nothing; listeners (report/)
// write files and draw the screen. Everything happens in one thread, the trainer's.
//
// Files of an interrupted and resumed run equal those of an uninterrupted one, so every event of a
// process that is no event of the run (Resumed, Warning, EvalProgress, Forecast) stays out of
// metrics.jsonl.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "train/tasks/metric.h"

namespace convoy {

// Once per run: a resumed process says Resumed instead.
struct RunStart {
  std::string model, dataset;
  std::string image;  // "3x224x224"
  int64_t parameters = 0;
  uint64_t seed = 0;
  int threads = 1;
  std::string precision = "fp32";
  std::string isa;      // the level that fixes the summation order
  std::string version;  // of Convoy
  int64_t micro_batch = 0, accumulation = 1, replicas = 1;
  int64_t global_batch = 0;  // their product
  int64_t train_samples = 0, eval_samples = 0;
  int64_t steps_per_epoch = 0, total_steps = 0;
  double epochs = 0, lr = 0;
  // Not in metrics.jsonl: two runs of one recipe compare equal.
  bool pinned = false;  // each thread stays on a core of its own
  int processes = 1;
  std::string split;  // replicas of each process, "2, 1, 1"
  std::string run_dir;
  std::vector<std::string> defaults;  // that follow from data and weights, a line each
};

// Once per run that starts from the weights of a file.
struct WeightsLoaded {
  std::string text;  // one line: which file, and what of it fits
};

// Once per run and plan.
struct PlanReady {
  std::string kind;  // "train", "tail", "eval"
  int64_t batch = 0;
  int64_t nodes = 0;
  int64_t state_bytes = 0, workspace_bytes = 0;
  double flops = 0;  // of one execution
};

// Once per process, before its first step: what it is expected to take.
struct Forecast {
  int64_t state_bytes = 0, workspace_bytes = 0, loader_bytes = 0, libraries_bytes = 0;
  int64_t peak_bytes = 0, limit_bytes = 0;  // of memory
  int64_t checkpoint_bytes = 0, disk_bytes = 0, disk_free_bytes = 0;
  double step_s = 0, epoch_s = 0, total_s = 0;  // of training; evaluations come on top
};

// Once per process of a run with several, at its end: what went between them.
struct Exchanged {
  int processes = 1;
  int64_t steps = 0;
  int64_t gradient_bytes = 0;          // of one step
  int64_t bytes = 0, sent_bytes = 0;   // moved by rank 0 in all; of these in messages
  double early_share = 0, wait_s = 0;  // done before backward ended; waited after it
};

// After an optimiser step.
struct TrainProgress {
  double epoch = 0;  // epochs of data seen: 2.5 is the middle of the third
  int64_t step = 0, samples = 0;
  double loss = 0;               // of this step
  double lr = 0;                 // of this step
  double images_per_s = 0;       // since the last recorded one
  double data_wait_s = 0;        // mean seconds per step without data, since the last recorded one
  double epoch_loss = 0;         // mean over the epoch so far
  std::optional<Metric> metric;  // the main one, over the epoch so far, where it is known
  int64_t total_steps = 0, steps_per_epoch = 0;
  // Files and plain lines take only these (every --log-steps); the progress bar takes all.
  bool record = true;
};

struct EvalProgress {
  int64_t samples = 0, total = 0;
};

struct EvalDone {
  double epoch = 0;
  int64_t step = 0;
  std::vector<Metric> metrics;  // the loss, where there is one, is among them
  int64_t total = 0;            // samples
  bool ema = false;
  double seconds = 0;
};

// For summary.csv.
struct EpochDone {
  int64_t epoch = 0;  // the first is 1
  double train_loss = 0;
  std::vector<Metric> eval;  // empty: there was no evaluation in this epoch
  double lr = 0;
};

// Emitted when the files are on disk, just before the folder gets its name: so the line is part of
// what the checkpoint says about the logs. The checkpoint of a stopped run has no such event.
struct CheckpointSaved {
  int64_t step = 0;
  std::string path;  // relative to the run directory
  bool best = false;
};

// The run ends sooner than it was going to.
struct Shortened {
  int64_t step = 0;       // when that was settled
  int64_t last_step = 0;  // with which it ends
  std::string reason;
};

struct BadSample {
  std::string file;
  int64_t index = 0;
  std::string reason;
};

struct NonFinite {
  int64_t step = 0;
  double loss = 0;
};

// Another process of the run died or hangs: this one ends too. A resume forgets it, as all that
// came after the checkpoint.
struct RankLost {
  int rank = -1;  // -1: no single one
  int64_t step = 0;
  std::string text;
};

struct Warning {
  std::string text;
};

// First event of a resumed process.
struct Resumed {
  int64_t step = 0;
  std::string path;  // of the checkpoint; empty when the run starts again from nothing
  int threads = 1;
  bool pinned = false;  // each thread stays on a core of its own
  int processes = 1;
  std::string run_dir;
  std::string length;  // of the run from here on, where it was changed; empty: as before
};

struct Stopped {
  int64_t step = 0;
  int signal = 0;
  std::string checkpoint;  // relative to the run directory; empty if none was written
};

// Last event of a run, or of a process that stopped or failed. Without weights the hash is empty.
struct RunEnd {
  int64_t step = 0;
  std::string weights_hash;
  double seconds = 0;
  int64_t peak_rss_bytes = 0;
  int exit = 0;
};

using RunEvent =
    std::variant<RunStart, WeightsLoaded, PlanReady, Forecast, Exchanged, TrainProgress,
                 EvalProgress, EvalDone, EpochDone, CheckpointSaved, Shortened, BadSample,
                 NonFinite, RankLost, Warning, Resumed, Stopped, RunEnd>;

// One lambda per kind of event, for std::visit.
template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(const RunEvent& event) = 0;
  // What was heard is with the operating system after this.
  virtual void flush() {}
};

// Passes everything on, in the order of adding.
class Listeners : public Listener {
 public:
  void add(std::unique_ptr<Listener> listener) { all_.push_back(std::move(listener)); }
  void on(const RunEvent& event) override {
    for (const auto& listener : all_) listener->on(event);
  }
  void flush() override {
    for (const auto& listener : all_) listener->flush();
  }

 private:
  std::vector<std::unique_ptr<Listener>> all_;
};

// The number people give the epoch that an event after a step belongs to: 1 for (0, 1].
inline int64_t epoch_number(double epoch) {
  return epoch > 1 ? static_cast<int64_t>(std::ceil(epoch)) : 1;
}

}  // namespace convoy
