// The events that a run emits. Training prints nothing; listeners (report/) write files and draw
// the screen. All events come from one thread, the trainer's.
//
// The files of an interrupted and resumed run equal those of an uninterrupted one. So events that
// belong to a process and not to the run (Resumed, Warning, EvalProgress, Forecast) are not written
// to metrics.jsonl.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pictures/picture.h"
#include "train/outputs/histogram.h"
#include "train/tasks/metric.h"
#include "train/tasks/object_results.h"
#include "train/tasks/sample_result.h"

namespace convoy {

// The processes of a run, and the threads of each.
struct Processes {
  int count = 1, threads = 1;
  bool pinned = false;  // each thread is bound to one core
};

// Once per run; a resumed process emits Resumed instead.
struct RunStart {
  std::string model, dataset;
  std::string image;  // "3x224x224"
  int64_t parameters = 0;
  uint64_t seed = 0;
  std::string precision = "fp32";
  std::string isa;      // ISA level; it determines the order of summation
  std::string version;  // Convoy's version
  struct Batch {
    int64_t micro_batch = 0, accumulation = 1, replicas = 1;
    int64_t global_batch = 0;  // the product of the above
  } batch;
  struct Length {
    int64_t train_samples = 0, eval_samples = 0;
    int64_t steps_per_epoch = 0, total_steps = 0;
    double epochs = 0;
  } length;
  double lr = 0;
  // Of the following only `processes.threads` is in metrics.jsonl, so that runs of the same recipe
  // compare equal.
  Processes processes;
  std::string split;  // replicas per process, "2, 1, 1"
  std::string run_dir;
  std::vector<std::string> defaults;  // derived from data and weights, one line each
};

// Once per run that starts from a weights file.
struct WeightsLoaded {
  std::string text;  // one line: the file, and which tensors fit
};

// Once per plan of a run.
struct PlanReady {
  std::string kind;  // "train", "tail", "eval"
  int64_t batch = 0;
  int64_t nodes = 0;
  int64_t state_bytes = 0, workspace_bytes = 0;
  double flops = 0;  // of one execution
};

// Once per process, before its first step: its expected needs.
struct Forecast {
  int64_t state_bytes = 0, workspace_bytes = 0, loader_bytes = 0, libraries_bytes = 0;
  int64_t peak_bytes = 0, limit_bytes = 0;  // memory
  int64_t checkpoint_bytes = 0, disk_bytes = 0, disk_free_bytes = 0;
  double step_s = 0, epoch_s = 0, total_s = 0;  // of training, without evaluations
};

// Once per process of a run with several processes, at its end: the data they exchanged.
struct Exchanged {
  int processes = 1;
  int64_t steps = 0;
  int64_t gradient_bytes = 0;          // of one step
  int64_t bytes = 0, sent_bytes = 0;   // moved by rank 0; thereof in messages
  double early_share = 0, wait_s = 0;  // finished during backward; waited after it
};

// After an optimizer step.
struct TrainProgress {
  double epoch = 0;  // epochs of data seen: 2.5 is the middle of the third
  int64_t step = 0, samples = 0;
  double loss = 0;               // of this step
  double lr = 0;                 // of this step
  double images_per_s = 0;       // since the last recorded step
  double data_wait_s = 0;        // mean wait for data per step since the last recorded step
  int64_t rss_bytes = 0;         // memory of rank 0's process; 0: not recorded
  double epoch_loss = 0;         // mean over the epoch so far
  std::optional<Metric> metric;  // the main metric over the epoch so far, if known
  int64_t total_steps = 0, steps_per_epoch = 0;
  // Files and plain lines only use recorded events (every --log-steps); the progress bar uses all.
  bool record = true;
};

struct EvalProgress {
  int64_t samples = 0, total = 0;
};

struct EvalDone {
  double epoch = 0;
  int64_t step = 0;
  std::vector<Metric> metrics;  // including the loss, if there is one
  int64_t total = 0;            // samples
  bool ema = false;
  double seconds = 0;
  // Of each sample; null: the task has none.
  std::shared_ptr<const SampleResults> each = nullptr;
  // Of each picture of a detector; null: the task finds no objects.
  std::shared_ptr<const ObjectResults> objects = nullptr;
};

// Pictures to look at: the first batch as the network sees it, the worst of an evaluation.
struct PicturesShown {
  std::string what;  // "train/first_batch", "val/worst", "val/predictions"
  int64_t step = 0;
  struct One {
    Pixels pixels;
    std::string caption;
  };
  std::vector<One> all;
  bool detailed = false;  // with drawn objects, which take more room
};

// The values of a parameter or of its gradient.
struct HistogramShown {
  std::string what;  // "weights/conv1.weight", "gradients/conv1.weight"
  int64_t step = 0;
  Histogram values;
};

// A row of summary.csv.
struct EpochDone {
  int64_t epoch = 0;  // counts from 1
  double train_loss = 0;
  std::vector<Metric> train = {};  // all metrics that are known of training
  double seconds = 0;              // of the run so far
  std::vector<Metric> eval;        // empty: no evaluation in this epoch
  double lr = 0;
};

// Emitted after the files are on disk and before the folder gets its final name, so the log lengths
// in the checkpoint include this line. The checkpoint of a stopped run has no such event.
struct CheckpointSaved {
  int64_t step = 0;
  std::string path;  // relative to the run directory
  bool best = false;
};

// The run will end earlier than planned.
struct Shortened {
  int64_t step = 0;       // when this was decided
  int64_t last_step = 0;  // the new last step of the run
  std::string reason;
};

struct BadSample {
  std::string file;
  int64_t index = 0;
  std::string reason;
};

// The loss or a gradient of a step was not finite: the step changed no parameter.
struct NonFinite {
  int64_t step = 0;
  double loss = 0;
  bool gradient = false;              // the loss was finite
  bool stops = true;                  // the run ends here
  std::vector<int64_t> samples = {};  // indices in the dataset, in the order of the step
};

// The dynamic loss scale changed after a step.
struct LossScaled {
  int64_t step = 0;
  double scale = 0;       // from the next step on
  bool overflow = false;  // a gradient was not finite: the step changed no parameter
};

// Another process of the run died or hangs, so this process ends. A resume removes the event from
// the logs, like everything after the checkpoint.
struct RankLost {
  int rank = -1;  // -1: not one particular rank
  int64_t step = 0;
  std::string text;
};

struct Warning {
  std::string text;
};

// The first event of a resumed process.
struct Resumed {
  int64_t step = 0;
  std::string path;  // of the checkpoint; empty: the run starts from the beginning
  Processes processes;
  std::string run_dir;
  std::string length;  // new length of the run, if changed; else empty
};

struct Stopped {
  int64_t step = 0;
  int signal = 0;
  std::string checkpoint;  // relative to the run directory; empty if none was written
};

// The last event of a run, or of a process that stopped or failed. The hash is empty if there are
// no weights.
struct RunEnd {
  int64_t step = 0;
  std::string weights_hash;
  double seconds = 0;
  int64_t peak_rss_bytes = 0;
  int exit = 0;
};

using RunEvent = std::variant<RunStart, WeightsLoaded, PlanReady, Forecast, Exchanged,
                              TrainProgress, EvalProgress, EvalDone, PicturesShown, HistogramShown,
                              EpochDone, CheckpointSaved, Shortened, BadSample, NonFinite,
                              LossScaled, RankLost, Warning, Resumed, Stopped, RunEnd>;

// Overloads one lambda per event type, for std::visit.
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
  // All events so far are passed to the operating system.
  virtual void flush() {}
};

// Passes every event to all added listeners, in the order of adding.
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

// The epoch number shown to people for a position after a step: 1 for (0, 1].
inline int64_t epoch_number(double epoch) {
  return epoch > 1 ? static_cast<int64_t>(std::ceil(epoch)) : 1;
}

}  // namespace convoy
