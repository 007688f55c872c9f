// Opens a network for use without training; shared by the verbs that take --checkpoint. Weights
// contain the model, data and preprocessing that they belong to; typed options override these.
#pragma once

#include <string>
#include <vector>

#include "app/network/run_weights.h"
#include "boxes/default_boxes.h"
#include "config/command_line.h"
#include "data/options.h"
#include "tensor/choices.h"
#include "tensor/isa.h"
#include "train/checkpoint/load_weights.h"
#include "train/precision/precision.h"
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
  std::string class_names, class_map;  // file names; see app/network/class_names.h
  DataOptions data;
  uint64_t seed = 1;
  int threads = 0;
  IsaChoice isa = IsaChoice::automatic;
  Precision precision;
  Choices choices;

  std::string split = "test";

  virtual ~InferenceOptions() = default;
  // Declares all options of the verb.
  virtual void describe(Fields& field) = 0;
  // Adjusts the settings (typed options over those in the weights file) before they are read.
  virtual void adapt(Settings& settings) const { (void)settings; }

  // Declares --checkpoint and --weights.
  void describe_source(Fields& field);
  // Declares --split.
  void describe_split(Fields& field);
  bool wants_training_set() const { return split == "train"; }
  // Declares the options that a weights file stores, in a section of their own.
  void describe_stored(Fields& field);
  // Declares the section "How": threads, instruction set, algorithms.
  void describe_how(Fields& field);
};

// The weights file for a path to a file, a checkpoint (ours or TensorFlow's) or a run; `kind`: the
// weights or their moving average.
fs::path weights_file(const fs::path& given, WeightsKind kind);

// The weights of --checkpoint, and the model they belong to.
struct OpenedModel {
  WeightFile file;
  Settings settings;  // typed options over those in the file, or over those known for such files
  FoundModel model;
  bool has_rules = false;  // --algorithms was typed
};

// Opens the weights for a verb that declares its options with `describe`, and fills the new object
// `options`. Checks that the data suits the model, and applies --isa. Words that are not options
// are allowed only with --input. With `tells`, one line on standard error names the settings that
// are used because the file is of a known kind.
OpenedModel open_model(const CommandLine& line, std::string_view verb,
                       void (*describe)(Fields& field), InferenceOptions& options,
                       bool tells = true);

// The evaluation plan of a model with the memory to run it; the weights are those of the last
// `load`.
class InferenceNetwork {
 public:
  // `image` is [c, h, w]. Keeps the catalogue's entry of the model. Rules of --algorithms that
  // apply to no convolution are named on standard error. `norms`: whether batch norms are folded
  // into convolutions, which is faster and rounds differently from evaluation in training.
  enum class Norms { kept, folded };
  InferenceNetwork(const InferenceOptions& options, const OpenedModel& opened, const Shape& image,
                   int classes, int64_t batch, Norms norms);

  // Loads all of the weights, or raises.
  WeightReport load(const WeightFile& file) {
    parameters_ = Executor::Parameters::changed;
    return load_weights(file, model_, network_.state(), HeadPolicy::must_fit, options_);
  }

  const FoundModel& model() const { return model_; }
  const Task& task() const { return *task_; }
  // Of a detection network.
  DefaultBoxSpec default_boxes() const { return model_.variant.boxes(options_, image_[1]); }
  const NetworkPlans& plans() const { return plans_; }
  const State& state() { return network_.state(); }
  // Binds inputs and reads the outputs, which are those of the task.
  Executor& executor() { return *network_.evaluation(); }
  // Runs the network.
  void run() {
    executor().run(parameters_);
    parameters_ = Executor::Parameters::same;
  }

 private:
  FoundModel model_;
  ModelOptions options_;
  std::unique_ptr<Task> task_;
  Shape image_;
  NetworkPlans plans_;
  Network network_;
  Executor::Parameters parameters_ = Executor::Parameters::changed;  // since the last run
};

}  // namespace convoy
