// The resolved options of a training run. Quantities that follow from several options are functions
// here, so that plan, trainer and log agree.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/text/words.h"
#include "compile/recompute_rule.h"
#include "config/fields.h"
#include "data/loading/epoch_plan.h"
#include "data/mixing/mixing.h"
#include "data/options.h"
#include "models/model.h"
#include "ops/loss/cross_entropy.h"
#include "tensor/isa.h"
#include "train/fine_tuning.h"
#include "train/kernel_choices.h"
#include "train/memory/pipeline.h"
#include "train/outputs/run_outputs.h"
#include "train/precision/loss_scaling.h"
#include "train/precision/precision.h"
#include "train/run/run_trace.h"
#include "train/schedules/schedule.h"
#include "train/step/step_shape.h"
#include "train/stop_rules.h"
#include "train/tasks/class_weights.h"
#include "train/tasks/task.h"
#include "train/update/clipping.h"
#include "train/update/optimizer.h"
#include "train/update/weight_average.h"

namespace convoy {
struct UsualStep;
}

namespace convoy::ops {

constexpr auto words_of(Smoothing) { return words<Smoothing>("uniform", "others"); }

}  // namespace convoy::ops

namespace convoy {

enum class ReplicaMode { automatic, together, sequence };
constexpr auto words_of(ReplicaMode) { return words<ReplicaMode>("auto", "together", "sequence"); }
enum class ExchangePrecision { fp32, bf16 };
constexpr auto words_of(ExchangePrecision) { return words<ExchangePrecision>("fp32", "bf16"); }
enum class BnUpdate { micro_batch, step };
constexpr auto words_of(BnUpdate) { return words<BnUpdate>("micro-batch", "step"); }
enum class BnVariance { unbiased, biased };
constexpr auto words_of(BnVariance) { return words<BnVariance>("unbiased", "biased"); }

struct RunConfig {
  std::string model;  // empty until `describe`: chosen by the data
  int num_classes = 0;
  std::string init_from;
  ModelOptions model_options;

  DataOptions data;

  double epochs = 10;      // 0: the length is given in steps
  int64_t iterations = 0;  // 0: the length is given in epochs
  int64_t max_steps = 0;
  int64_t batch_size = 128;
  int64_t global_batch_size = 0;
  int replicas = 1;
  ReplicaMode replica_mode = ReplicaMode::automatic;
  int accumulation = 1;
  double bucket_mb = 4;
  ExchangePrecision exchange_precision = ExchangePrecision::fp32;
  bool shard_optimizer = false;

  std::string optimizer = "sgd";
  WeightDecay weight_decay;
  Clipping clip;
  FineTuning tuning;
  ClassWeighting class_weights;
  StopRules stop;
  LearningRate lr;
  LossScaling loss_scaling;
  Mixing mixing;
  float label_smoothing = 0;
  ops::Smoothing label_smoothing_kind = ops::Smoothing::uniform;
  float bn_momentum = 0.1f;
  BnUpdate bn_update = BnUpdate::micro_batch;
  BnVariance bn_variance = BnVariance::unbiased;
  int bn_span = 1;
  bool sync_bn = false;
  WeightAverage average;

  double eval_epochs = 1, eval_offset = 0;
  int64_t eval_batch_size = 0;

  uint64_t seed = 1;
  int64_t shuffle_seed = -1, crop_seed = -1, augment_seed = -1;  // -1: seed
  int threads = 0;
  bool pin = false;
  IsaChoice isa = IsaChoice::automatic;
  std::string memory;
  Recompute recompute = Recompute::off;
  Pipeline pipeline;
  Precision precision;
  Choices choices;

  double stall_timeout = 60;
  std::string output = "runs";
  std::string name;
  int64_t checkpoint_steps = 0;
  double checkpoint_epochs = 1, checkpoint_offset = 0;
  int checkpoint_keep = 3;
  int64_t log_steps = 50;
  bool quiet = false, plain = false;
  RunOutputs outputs;

  std::vector<std::string> dump, without;
  bool time_passes = false;
  RunTrace trace;

  // For a resumed run: the options that may differ from those in its checkpoints because the user
  // typed them again; or whether all may differ.
  std::set<std::string> changed_on_purpose;
  bool accept_changed_options = false;
  // The new content of args.yml if a resumed run has changed options; empty: unchanged.
  std::string amended_args;

  // Declares and reads all options, including those of the chosen optimizer and schedule, and
  // refuses contradictory combinations.
  void describe(Fields& field);
  // For help and parsing: declares the options of every optimizer and schedule.
  static void describe_all(Fields& field);

  const Optimizer& update() const { return *optimizer_; }
  // The metrics of the model's task; without a model (for help) of all tasks.
  std::vector<MetricDef> metrics() const;
  int thread_count() const;
  // The number of ranks on this host, and the number of ranks on our cores. Without --threads and
  // --memory each rank takes its share.
  void share_host(int processes, int on_our_cores);
  int processes_here() const { return processes_here_; }
  // The core to which each thread is bound; empty: no --pin.
  std::vector<int> cores() const;
  // The number of classes of the head: --num-classes, or the dataset's.
  int classes(const Dataset& data) const;
  // Micro-batch x accumulation x replicas = global batch, for process `rank` of `size`.
  StepShape step_shape(int rank = 0, int size = 1) const;
  // Images per batch in evaluation: --eval-batch-size, or a number that needs no more memory than
  // training.
  int64_t eval_batch(int64_t train_batch, Recompute mode) const;
  // The length of a run that is given in steps.
  int64_t steps_of_run() const { return iterations ? iterations : max_steps; }
  // Which samples the steps use, of a training set of that size.
  EpochPlan epoch_plan(int64_t samples) const;
  // The inputs of the learning-rate schedule. It covers the requested epochs or iterations;
  // --max-steps only truncates it.
  ScheduleSite schedule_site(const EpochPlan& epochs) const;
  WeightAverage::Site average_site() const;
  // The options that differ from their defaults, as key and text, without those that change no
  // result (threads, folders): equal recipes train equal weights.
  const std::map<std::string, std::string>& recipe() const { return recipe_; }
  // Texts for people about defaults that follow from data and start weights.
  const std::vector<std::string>& fitted_defaults() const { return fitted_; }
  // Every option that changes a result, including defaults.
  const std::map<std::string, std::string>& resolved() const { return resolved_; }
  // The name of the run's folder without --name.
  std::string default_name() const;

 private:
  void describe_model(Fields& field);
  void describe_length(Fields& field);
  const UsualStep& usual_step() const;
  void describe_batch(Fields& field);
  void describe_rate(Fields& field);
  void describe_update(Fields& field);
  void describe_files(Fields& field);
  // In run_config_checks.cpp: what is refused, and options without use.
  void check(Fields& field);
  void check_step(Fields& field) const;
  void check_passes() const;
  void check_image_type(Fields& field);
  void check_norms(Fields& field);

  void remember_recipe(std::span<const Field> fields);

  int processes_here_ = 1, on_our_cores_ = 1;
  bool sees_data_ = false;    // false for help: defaults cannot depend on the data
  int64_t fitted_batch_ = 0;  // the default of --batch-size, if fitted
  std::vector<std::string> fitted_;
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, std::string> recipe_, resolved_;
};

}  // namespace convoy
