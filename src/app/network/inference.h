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

// The bytes of a file of weights. One of a checkpoint is verified against the hash that the
// checkpoint holds.
std::string read_weights(const fs::path& path);
// Every file of weights that goes into a network is opened here.
WeightFile open_weights(const fs::path& path);

// The file of --checkpoint, and the settings a verb reads: what the file says, or what is known of
// such files, and above it what was typed. `known` is what the verb declares.
struct ChosenWeights {
  WeightFile file;
  Settings settings;
  std::string remark;  // a line about what is used because such files are known; empty: nothing is
};
ChosenWeights choose_weights(const CommandLine& line, const std::vector<Field>& known,
                             std::string_view verb);

// After the options have been read: the model must be known by now, the data suits it, and --isa is
// applied. `origin` is the file, for the error.
FoundModel settle(InferenceOptions& options, const std::string& origin);

// The evaluation plan of the model and all it needs to run; the weights are those of the last
// `load`.
class InferenceNetwork {
 public:
  // `image` is [c, h, w]. Of the model it keeps the catalogue's entry.
  InferenceNetwork(const InferenceOptions& options, const FoundModel& model, const Shape& image,
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
