// Habana's ResNeXt-101 and ResNets by TensorFlow's estimator: imagenet_main.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "dialects/dialect_plan.h"
#include "dialects/habana_rows.h"

namespace convoy {
namespace {

constexpr std::array own{
    DialectRow{"data_dir dd", "path", "/data/tensorflow/imagenet/tf_records/", 'P',
               "--data-dir {}"},
    DialectRow{"jpeg_data_dir jpdd", "path", "", 'P',
               "--data-dir: folders of pictures, in place of the records"},
    DialectRow{"model_dir md", "path", "/tmp/resnet", 'P', "the run's folder, --output and --name"},
    DialectRow{"clean", "bool", "false", 'P', "the run in model_dir is removed first"},
    DialectRow{"train_epochs te", "int>=1", "10", 'P', "--epochs {}"},
    DialectRow{"epochs_between_evals ebe", "int>=1", "1", 'P', "--eval-epochs {}"},
    DialectRow{"stop_threshold st", "number:0..1", "", 'P', "--stop-at, in percent"},
    DialectRow{"batch_size bs", "int>=1", "32", 'P', "--batch-size {}"},
    DialectRow{"hooks hk", "words", "LoggingTensorHook", 'P', "--hooks {}"},
    DialectRow{"export_dir ed", "path", "", 'P',
               "!nothing is exported after the training; try: convoy export --checkpoint MODEL_DIR "
               "--output FILE"},
    DialectRow{"distribution_strategy ds",
               "off|default|one_device|mirrored|parameter_server|collective", "off", 'P',
               "the workers of mpirun are one run"},
    DialectRow{"display_steps dis", "int>=1", "100", 'P', "--log-steps {}"},
    DialectRow{"log_steps", "int>=1", "100", 'P', "--log-steps, the smaller of both"},
    DialectRow{"disable_checkpoints", "bool", "false", 'P', "--checkpoint-epochs 0"},
    DialectRow{"save_checkpoint_steps cs", "int>=1", "", 'P', "--checkpoint-steps {}"},
    DialectRow{"no_hpu", "bool", "false", 'P', "Convoy computes on the CPU"},
    DialectRow{"dummy_epoch", "bool", "false", 'P',
               "nothing needs warming up: plans are made before the first step"},
    DialectRow{"inter_op_parallelism_threads inter", "int>=0", "0", 'P',
               "operations run one after another"},
    DialectRow{"intra_op_parallelism_threads intra", "int>=0", "0", 'P', "--threads {}"},
    DialectRow{"max_train_steps mts", "int>=1", "", 'P', "--max-steps {}"},
    DialectRow{"max_eval_steps mes", "int>=1", "", 'P', "--eval-samples, that many batches"},
    DialectRow{"bf16_config_path", "path", "", 'S', "--bf16-lists"},
    DialectRow{"train_offset", "int>=0", "0", 'P',
               "!epochs cannot be added to max_train_steps; try: a larger --train_epochs"},
    DialectRow{"resnet_version rv", "1|2", "1", 'P', "--model"},
    DialectRow{"resnet_size rs", "18|34|50|101|152|200", "101", 'P', "--model"},
    DialectRow{"model_type", "resnet|resnext", "resnext", 'P', "--model"},
    DialectRow{"return_before_eval rbv", "bool", "false", 'P',
               "--max-steps, the steps before the first evaluation"},
    DialectRow{"disable_eval", "bool", "false", 'P', "--eval-epochs 0"},
    DialectRow{"fine_tune ft", "bool", "false", 'P', "--freeze all-but-head"},
    DialectRow{"pretrained_model_checkpoint_path pmcp", "path", "", 'P',
               "nothing, as there: it is read and not used"},
    DialectRow{"eval_only", "bool", "false", 'P', "convoy eval of the run in model_dir"},
    DialectRow{"image_bytes_as_serving_input", "bool", "false", 'P',
               "!exported networks take decoded images; try: convoy predict, which decodes"},
    DialectRow{"use_train_and_evaluate", "bool", "false", 'P',
               "training and evaluation are always one call"},
    DialectRow{"enable_lars", "bool", "false", 'P', "--optimizer lars --lr-schedule polynomial"},
    DialectRow{"label_smoothing", "number:0..1", "0.1", 'P', "--label-smoothing {}"},
    DialectRow{"epochs_for_lars", "int>=1", "38", 'P', "where the polynomial ends"},
    DialectRow{"warmup_epochs", "number>=0", "8.0", 'P', "--warmup-epochs {}"},
    DialectRow{"start_learning_rate", "number>=0", "9.5", 'P', "--lr of LARS"},
    DialectRow{"weight_decay", "number>=0", "6.103515625e-05", 'P',
               "--weight-decay {} --bias-weight-decay {}"},
    DialectRow{"disable_warmup", "bool", "false", 'P',
               "nothing, as there: it is read and not used"},
    DialectRow{"use_cosine_lr", "bool", "true", 'P', "--lr-schedule cosine, or piecewise"},
    DialectRow{"momentum", "number:0..1", "0.875", 'P', "--momentum {}"},
    DialectRow{"save_summary_steps", "int>=1", "100", 'P',
               "scalars for TensorBoard come with the lines of the log"},
    DialectRow{"profile_steps", "ints*2", "7,10", 'P', "--profile-steps {}"},
    DialectRow{"mini_imagenet", "bool", "false", 'P', "its files are found by their names"},
    DialectRow{"max_cpus mc", "int>=1", "16", 'P', "the run keeps to the first N cores"},
};

constexpr double images = 1281167;

double global_batch(const DialectPlan& plan) {
  return static_cast<double>(plan.count("batch_size")) * plan.processes().ranks;
}

void plan_model(DialectPlan& plan) {
  const std::string size = plan.text("resnet_size");
  std::string model = "habana_" + plan.text("model_type") + size;
  if (plan.text("model_type") == "resnext") {
    if (size != "50" && size != "101" && size != "152") {
      plan.refuse("resnet_size", "there is no ResNeXt of this size; try: 50, 101 or 152");
    }
  } else if (plan.text("resnet_version") == "2") {
    model += "_v2";
  }
  plan.set("model", model);
  for (const char* name : {"model_type", "resnet_size", "resnet_version"}) {
    plan.explain(name, "--model " + model);
  }
}

void plan_lars(DialectPlan& plan) {
  if (plan.count("epochs_for_lars") != plan.count("train_epochs")) {
    plan.refuse("epochs_for_lars",
                fmt::format("Convoy's polynomial ends with the run; try: --train_epochs {0}, or "
                            "--epochs_for_lars {1}",
                            plan.text("epochs_for_lars"), plan.text("train_epochs")));
  }
  plan.set("optimizer", "lars");
  plan.drop("bias-weight-decay");
  plan.set("lr-schedule", "polynomial");
  plan.set("lr", plan.text("start_learning_rate"));
  plan.set("min-lr", "1e-4");
}

void plan_rate(DialectPlan& plan) {
  if (plan.on("enable_lars")) return plan_lars(plan);
  plan.set("optimizer", "sgd");
  if (plan.number("warmup_epochs") > 0) plan.set("warmup-kind", "replace");
  plan.set("lr-batch", "256");
  if (plan.on("use_cosine_lr")) {
    plan.set("lr-schedule", "cosine");
    plan.set("base-lr", "0.256");
    return;
  }
  const bool is_small = plan.processes().ranks > 16 || plan.on("fine_tune");
  plan.set("lr-schedule", "piecewise");
  plan.set("base-lr", is_small ? "0.1" : "0.128");
  plan.set("piecewise-epochs", "30,60,80,90");
  plan.set("piecewise-factors", "0.1,0.01,0.001,0.0001");
  plan.set("piecewise-boundary", "left");
  if (plan.number("warmup_epochs") > 0) plan.set("warmup-kind", "multiply");
}

void plan_length(DialectPlan& plan) {
  if (plan.on("disable_checkpoints")) plan.set("checkpoint-epochs", "0");
  if (plan.has("save_checkpoint_steps")) plan.set("checkpoint-epochs", "0");
  if (plan.on("disable_eval")) plan.set("eval-epochs", "0");
  if (plan.on("return_before_eval")) {
    const double epochs =
        std::min(plan.number("epochs_between_evals"), plan.number("train_epochs"));
    const auto steps = static_cast<int64_t>(std::floor(images * epochs / global_batch(plan)));
    plan.set("eval-epochs", "0");
    plan.set("max-steps",
             std::to_string(std::min(
                 steps, plan.has("max_train_steps") ? plan.count("max_train_steps") : steps)));
  }
  if (plan.has("max_eval_steps")) {
    plan.set("eval-samples",
             std::to_string(plan.count("max_eval_steps") * plan.count("batch_size")));
  }
  if (plan.has("stop_threshold")) plan.set("stop-at", 100 * plan.number("stop_threshold"));
  plan.set("log-steps",
           std::to_string(std::min(plan.count("display_steps"), plan.count("log_steps"))));
}

void plan_hooks(DialectPlan& plan) {
  const std::vector<std::string> hooks = plan.list("hooks");
  bool profiles = false;
  for (const std::string& hook : hooks)
    profiles = profiles || hook.starts_with("Profiler") || hook.starts_with("profiler");
  if (!plan.given("hooks")) plan.drop("hooks");
  if (profiles) return;
  plan.drop("profile-steps");
  plan.explain("profile_steps", "nothing, as there: it is for --hooks ProfilerHook");
}

void plan_run(DialectPlan& plan) {
  plan.need_parallel(plan.on("use_horovod"), "--use_horovod");
  if (plan.on("eval_only")) {
    plan.verb = "eval";
    plan.options.clear();
    plan.set("checkpoint", plan.text("model_dir"));
    plan.set("data-dir",
             plan.has("jpeg_data_dir") ? plan.text("jpeg_data_dir") : plan.text("data_dir"));
    return;
  }
  plan_tensorflow_pictures(plan, 1);
  plan.set("epoch-tail", "carry");
  plan_habana(plan, plan.text("data_dir"));
  if (plan.has("jpeg_data_dir") && !plan.on("use_synthetic_data")) {
    plan.set("data-dir", plan.text("jpeg_data_dir"));
  }
  plan_model(plan);
  plan_rate(plan);
  plan_length(plan);
  plan_hooks(plan);
  if (plan.count("intra_op_parallelism_threads") == 0) plan.drop("threads");
  if (plan.on("fine_tune")) plan.set("freeze", "all-but-head");
  if (plan.given("bf16_config_path") && plan.text("dtype") == "bf16") {
    const std::string path = plan.text("bf16_config_path");
    plan.set("bf16-lists", path);
  }
  plan.continues = !plan.clean;
  if (plan.given("max_cpus")) plan.max_cpus = static_cast<int>(plan.count("max_cpus"));
}

}  // namespace

Dialect resnext_dialect() {
  return {.name = "resnext",
          .summary = "Habana's ResNeXt-101 by TensorFlow's estimator: imagenet_main",
          .programs = {{.name = "imagenet_main",
                        .summary = "trains ResNeXt-101, or a ResNet, on ImageNet",
                        .manners = Manners::absl,
                        .rows = {own, habana_rows},
                        .variables = habana_variables,
                        .example = "convoy resnext -dt bf16 -dlit bf16 -bs 128 -te 90 -ebe 90 "
                                   "--data_dir /data/tensorflow/imagenet/tf_records/",
                        .plan = plan_run}}};
}

}  // namespace convoy
