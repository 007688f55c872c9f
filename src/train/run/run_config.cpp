#include "train/run/run_config.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "compile/compile.h"
#include "models/model.h"
#include "train/tasks/task.h"

namespace convoy {

void RunConfig::describe_model(Fields& field) {
  field.section("Model");
  field("model", model,
        "the network to train; `convoy list models` shows all. Without it: resnet18 for pictures, "
        "cifar_resnet20 for the small images of other sets");
  field.chooses("model");
  field("num-classes", num_classes, "classes of the head; 0: as many as the dataset has",
        at_least(0));
  field(
      "init-from", init_from,
      "start a new run from these weights: a file (safetensors, PyTorch, TensorFlow or numpy), or "
      "a run directory, for its best weights. A head of another number of classes starts fresh; a "
      "detector starts from all or from the trunk, the weights of a classifier",
      {}, {"pretrained", "init-path", "resnet-checkpoint"});
  model_options.describe(field);
}

void RunConfig::describe_length(Fields& field) {
  field.section("Length and batches");
  field.displace("iterations", {"epochs"});
  field.displace("epochs", {"iterations"});
  field("epochs", epochs, "passes over the training data, whole or not", at_least(0),
        {"train-epochs"});
  field("iterations", iterations,
        "instead of --epochs: optimiser steps of the run, at whose end the learning-rate schedule "
        "ends too; 0: --epochs counts",
        at_least(0));
  field("max-steps", max_steps,
        "stop after this many optimiser steps, wherever the learning-rate schedule is then; 0: no "
        "such limit",
        at_least(0));
  if (iterations > 0 && field.given("epochs")) {
    raise(Fault::usage,
          "--iterations {} and --epochs {} both say how long the run is; try: one of them, or "
          "--max-steps {} to stop early",
          iterations, epochs, iterations);
  }
  if (iterations > 0) epochs = 0;
  describe_batch(field);
  field("replica-mode", replica_mode,
        "run the replicas of this process together as one batch or one after another; the results "
        "are the same",
        any_value().no_result());
  field("bucket-mb", bucket_mb,
        "with several processes: gradients travel in pieces of about this many megabytes while the "
        "backward pass goes on. Changes no result",
        between(0.01, 1024).no_result());
  field("exchange-precision", exchange_precision,
        "bf16: every replica's gradients are rounded to it, and travel so from processes with a "
        "single replica");
  field("shard-optimizer", shard_optimizer,
        "with several processes: each holds the optimiser's buffers of its share of the parameters "
        "alone, and updates these. Changes no result",
        any_value().no_result(), {"rts"});
  stop.describe(field, metrics());
  field("eval-epochs", eval_epochs, "evaluate every N epochs, and at the end; 0: never",
        at_least(0));
  field("eval-epochs-offset", eval_offset,
        "the first evaluation comes after this many epochs, the next --eval-epochs later; 0: after "
        "--eval-epochs",
        at_least(0));
  field.needs("eval-epochs-offset", eval_epochs > 0, "--eval-epochs above 0", {"eval-epochs"});
  field("eval-batch-size", eval_batch_size,
        "images at a time in evaluation, which changes no result; 0: 4 times the training batch, "
        "250 at most; with --recompute, the training batch",
        at_least(0).no_result());
}

void RunConfig::describe_update(Fields& field) {
  field.section("Optimisation");
  std::vector<std::string> names;
  for (const OptimizerDef& def : optimizer_catalog()) names.emplace_back(def.name);
  // TensorFlow recipes spell it "RMSprop" and mean TensorFlow's form.
  field("optimizer", optimizer,
        "how gradients become steps, in small or capital letters; RMSprop, so written, is "
        "tf-rmsprop as in the TensorFlow stacks, momentum is sgd",
        one_of_any_case(
            names, {{"RMSprop", "tf-rmsprop"}, {"RMSProp", "tf-rmsprop"}, {"momentum", "sgd"}}),
        {"opt", "optimiser"});
  field.chooses("optimizer");
  weight_decay.describe(field);
  clip.describe(field);
  class_weights.describe(field);
  field("label-smoothing", label_smoothing, "share of the target that is spread over the classes",
        between(0, 1), {"smoothing"});
  field("label-smoothing-kind", label_smoothing_kind,
        "uniform: over all classes, s/K each; others: over the wrong ones, s/(K-1) each");
  field.needs("label-smoothing-kind", label_smoothing > 0, "--label-smoothing above 0",
              {"label-smoothing"});
  mixing.describe(field);
  precision.describe(field);
  loss_scaling.describe(field, precision);
  field("bn-momentum", bn_momentum, "weight of the newest batch in batch norm's running statistics",
        between(0, 1));
  field("bn-update", bn_update,
        "move the running statistics with every micro-batch, or once a step");
  field("bn-variance", bn_variance,
        "the variance of a batch that moves the running one: corrected by N / (N - 1), or not "
        "(TensorFlow with statistics of several workers)");
  field("bn-span", bn_span,
        "N consecutive replicas share the statistics of batch norm; N must divide --replicas",
        at_least(1), {"BN-span"});
  field("sync-bn", sync_bn, "all replicas share the statistics of batch norm", {},
        {"distributed-bn"});
  average.describe(field);
  field.section("Fine-tuning");
  tuning.describe(field);
  field.section_with("--optimizer " + optimizer);
  optimizer_ = find_optimizer(optimizer).make(field, {step_shape().global_batch(), weight_decay});
  describe_rate(field);
}

void RunConfig::describe_files(Fields& field) {
  field.section("Run");
  field("seed", seed, "start of all random numbers; equal seeds give equal runs");
  field("shuffle-seed", shuffle_seed, "the seed of the order of the samples; -1: --seed",
        at_least(-1));
  field("crop-seed", crop_seed, "the seed of random crops; -1: --seed", at_least(-1));
  field("augment-seed", augment_seed, "the seed of flips and other augmentations; -1: --seed",
        at_least(-1));
  field("threads", threads, "threads that compute; 0: one for each core. Changes no result",
        between(0, 256).no_result(), {"j"});
  field("pin", pin,
        "each of the threads that compute stays on a core of its own; for machines, or masks "
        "(taskset), that this run has to itself. Changes no result",
        any_value().no_result());
  field("isa", isa, "instruction set; a lower one gives the results of such a machine");
  describe_choices(field, choices);
  field(
      "memory", memory,
      "what the run may take, such as 16G; a run that needs more is refused. Empty: the machine's "
      "memory, or the limit of its cgroup",
      any_value().no_result());
  field("recompute", recompute,
        "which activations the backward pass computes again instead of keeping them: cheap: those "
        "of norms and activations; blocks: those between block ends, for the least memory; auto: "
        "what fits in the memory, in the least time. Changes no result",
        any_value().no_result());
  pipeline.describe(field, recompute == Recompute::blocks);
  field("stall-timeout", stall_timeout,
        "seconds that a disk may take to answer; with several processes, also of silence, or of "
        "standing still while others wait, after which one of them counts as lost",
        between(2, 86400).no_result());
  field("output", output, "folder in which the run's folder is made", any_value().no_result(),
        {"output-dir", "log-dir"});
  field("name", name, "the run's folder; empty: model and dataset", any_value().no_result(),
        {"experiment"});
  field("checkpoint-steps", checkpoint_steps,
        "save a checkpoint every N steps, besides those of --checkpoint-epochs; 0: no",
        at_least(0).no_result());
  field("checkpoint-epochs", checkpoint_epochs,
        "save a checkpoint every N epochs, and of the best evaluation so far; 0: only at the end, "
        "unless --checkpoint-steps asks for more",
        at_least(0).no_result());
  field("checkpoint-epochs-offset", checkpoint_offset,
        "the first of those comes after this many epochs, the next --checkpoint-epochs later; 0: "
        "after --checkpoint-epochs",
        at_least(0).no_result(), {"ckpt-epochs-offset"});
  field.needs("checkpoint-epochs-offset", checkpoint_epochs > 0, "--checkpoint-epochs above 0",
              {"checkpoint-epochs"});
  field("checkpoint-keep", checkpoint_keep, "newest checkpoints that stay; the best one stays too",
        at_least(1).no_result(), {"checkpoint-hist"});
  field("log-steps", log_steps, "a line in the log every N steps", at_least(1).no_result(),
        {"log-interval", "print-freq"});
  field("quiet", quiet, "print only warnings, the accuracy and the last line",
        any_value().no_result(), {"q"});
  field("plain", plain, "print lines as in log.txt instead of a progress bar",
        any_value().no_result());
  outputs.describe(field);
  field.section("Inspection");
  field("dump", dump, "print the graph after these passes (names, or all)",
        any_value().no_result());
  field("without", without,
        "leave out these optional passes (" + join(pass_names(true), ", ") + ")");
  field("time-passes", time_passes, "print how long each pass took", any_value().no_result());
  trace.describe(field);
}

void RunConfig::describe(Fields& field) {
  const size_t others = field.all().size();
  describe_model(field);
  field.section("Data");
  data.describe(field);
  if (model.empty()) {
    model = data.def().has_pictures ? "resnet18" : "cifar_resnet20";
    field.record("model", {model});
  }
  const FoundModel found = find_model(model);
  check_options(found.family, model_options);
  if (data.eval_image_size && found.variant.boxes) {
    raise(Fault::usage,
          "--eval-image-size {}: the default boxes of a detector are those of its training images; "
          "try: without it",
          data.eval_image_size);
  }
  bn_momentum = found.variant.bn_momentum;
  data.suit(found.image_size(), found.family.channels, found.classes(),
            task_of(found.family).of_objects);
  sees_data_ = true;
  describe_length(field);
  describe_update(field);
  describe_files(field);
  check(field);
  remember_recipe(std::span(field.all()).subspan(others));
}

void RunConfig::remember_recipe(std::span<const Field> fields) {
  recipe_.clear();
  resolved_.clear();
  for (const Field& field : fields) {
    if (!field.limits.changes_results) continue;
    resolved_[field.key] = field.value.text;
    if (field.value.text != field.default_text) recipe_[field.key] = field.value.text;
  }
}

void RunConfig::describe_all(Fields& field) {
  RunConfig config;
  config.describe_model(field);
  field.section("Data");
  config.data.describe(field);
  config.describe_length(field);
  config.describe_update(field);
  for (const OptimizerDef& def : optimizer_catalog()) {
    field.section_with("--optimizer " + std::string(def.name));
    def.make(field, {});
  }
  for (const ScheduleDef& def : schedule_catalog()) {
    field.section_with("--lr-schedule " + std::string(def.name));
    def.make(field);
  }
  config.describe_files(field);
}

std::vector<MetricDef> RunConfig::metrics() const {
  std::vector<MetricDef> all;
  for (const TaskDef& def : task_catalog()) {
    if (!model.empty() && def.name != find_model(model).family.task) continue;
    all.insert(all.end(), def.metrics.begin(), def.metrics.end());
  }
  return all;
}

int RunConfig::thread_count() const {
  return threads ? threads : std::max(1, available_cores() / on_our_cores_);
}

void RunConfig::share_host(int processes, int on_our_cores) {
  processes_here_ = processes;
  on_our_cores_ = on_our_cores;
}

std::vector<int> RunConfig::cores() const {
  return pin ? cores_to_pin(thread_count()) : std::vector<int>{};
}

int RunConfig::classes(const Dataset& dataset) const {
  if (num_classes && num_classes < dataset.classes()) {
    raise(Fault::usage, "--num-classes {} is too few: the dataset has {}; try: without it",
          num_classes, dataset.classes());
  }
  const int classes = num_classes ? num_classes : dataset.classes();
  if (classes == 1) {
    const std::vector<std::string> names = dataset.class_names();
    raise(
        Fault::data,
        "the training data has one class{}, and telling classes apart takes two; try: a folder of "
        "pictures for each class",
        names.empty() ? "" : " (" + names[0] + ")");
  }
  return classes;
}

StepShape RunConfig::step_shape(int rank, int size) const {
  const int64_t micro =
      global_batch_size ? global_batch_size / (replicas * accumulation) : batch_size;
  const bool narrow = exchange_precision == ExchangePrecision::bf16;
  const int span = sync_bn ? replicas : bn_span;
  const bool together =
      accumulation == 1 && replica_mode != ReplicaMode::sequence && !narrow && span == 1;
  return StepShape{.micro_batch = micro,
                   .replicas = replicas,
                   .accumulation = accumulation,
                   .together = together,
                   .narrow = narrow,
                   .span = span,
                   .bn_per_step = bn_update == BnUpdate::step,
                   .processes = size,
                   .shard = shard_optimizer,
                   .bucket_floats = static_cast<int64_t>(bucket_mb * (1 << 18))}
      .of_rank(rank);
}

int64_t RunConfig::eval_batch(int64_t train_batch, Recompute mode) const {
  if (eval_batch_size) return eval_batch_size;
  return std::min<int64_t>(250, (mode == Recompute::off ? 4 : 1) * train_batch);
}

EpochPlan RunConfig::epoch_plan(int64_t samples) const {
  return {samples, step_shape().global_batch(), epochs, data.tail(), data.repeats(replicas)};
}

ScheduleSite RunConfig::schedule_site(const EpochPlan& plan) const {
  const double steps =
      epochs > 0 ? epochs * plan.steps_per_epoch() : static_cast<double>(steps_of_run());
  return {steps, plan.steps_per_epoch(), plan.batch()};
}

WeightAverage::Site RunConfig::average_site() const {
  return {epochs, lr.warmup_epochs(), step_shape().global_batch()};
}

std::string RunConfig::default_name() const {
  return name.empty() ? model + "-" + data.dataset_name() : name;
}

}  // namespace convoy
