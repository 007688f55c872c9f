// A network opened to be used, not trained: what the verbs that take --checkpoint share. Weights
// say which model, data and preprocessing they belong to; what was typed goes before what they say.
#pragma once

#include <string>
#include <vector>

#include "app/network/run_weights.h"
#include "config/command_line.h"
#include "data/options.h"
#include "tensor/choices.h"
#include "tensor/isa.h"
#include "train/checkpoint/load_weights.h"
#include "train/step/network.h"
#include "train/tasks/task.h"
#include "weights/weight_file.h"

namespace convoy {

struct InferenceOptions {
  std::string checkpoint;
  WeightsKind weights = WeightsKind::model;
  std::string model;
  ModelOptions model_options;
  int num_classes = 0;
  std::string class_names, class_map;  // files; see app/network/class_names.h
  DataOptions data;
  uint64_t seed = 1;
  int threads = 0;
  IsaChoice isa = IsaChoice::automatic;
  Choices choices;

  std::string split = "test";

  virtual ~InferenceOptions() = default;
  // All of a verb's.
  virtual void describe(Fields& field) = 0;
  // Changes what the weights say and what was typed before it is read.
  virtual void adapt(Settings& settings) const { (void)settings; }

  // --checkpoint and --weights.
  void describe_source(Fields& field);
  // --split.
  void describe_split(Fields& field);
  bool wants_training_set() const { return split == "train"; }
  // In a section of its own: what weights say about themselves.
  void describe_told(Fields& field);
  // Of the section "How": threads, instructions, algorithms.
  void describe_how(Fields& field);
};

// The weights meant by a path to a file, a checkpoint (ours or TensorFlow's) or a run; `kind` is
// "model" or "ema".
fs::path weights_file(const fs::path& given, WeightsKind kind);

// The weights of --checkpoint, and the model they belong to.
struct OpenedModel {
  WeightFile file;
  Settings settings;  // what was typed, and what the file says or is known of such files
  FoundModel model;
  bool has_rules = false;  // --algorithms was typed
};

// Opens it for a verb that declares its options with `describe`; `options`, fresh, gets them. The
// data suits the model then, and --isa is applied. Words beside the options are for --input alone.
// What is used because such files are known is one line on standard error if it `tells`.
OpenedModel open_model(const CommandLine& line, std::string_view verb,
                       void (*describe)(Fields& field), InferenceOptions& options,
                       bool tells = true);

// The evaluation plan of the model and all it needs to run; the weights are those of the last
// `load`.
class InferenceNetwork {
 public:
  // `image` is [c, h, w]. Of the model it keeps the catalogue's entry. Rules of --algorithms that
  // apply to nothing are named on standard error.
  InferenceNetwork(const InferenceOptions& options, const OpenedModel& opened, const Shape& image,
                   int classes, int64_t batch);

  // All of the weights, or an error.
  WeightReport load(const WeightFile& file) {
    return load_weights(file, model_, network_.state(), HeadPolicy::must_fit);
  }

  const Task& task() const { return *task_; }
  const NetworkPlans& plans() const { return plans_; }
  const State& state() { return network_.state(); }
  // Its outputs are the task's.
  Executor& executor() { return *network_.evaluation(); }

 private:
  FoundModel model_;
  std::unique_ptr<Task> task_;
  NetworkPlans plans_;
  Network network_;
};

}  // namespace convoy
