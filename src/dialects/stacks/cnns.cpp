// Graphcore's CNN training for TensorFlow 1 (MLPerf v1.1): train, validation, restore, weight_avg,
// upload_run, run_and_time.

#include <fmt/core.h>

#include "dialects/graphcore_plan.h"
#include "dialects/graphcore_rows.h"

namespace convoy {
namespace {

constexpr std::array validation_rows{
    DialectRow{"repeat", "int>=1", "1", 'P', "!one evaluation is exact; try: without it"},
    DialectRow{"inference", "truthy", "", 'P', "convoy eval tells images/s too"},
};
constexpr std::array restore_rows{
    DialectRow{"restore-path", "path", "", 'P', "convoy resume {}"},
};
constexpr std::array average_rows{
    DialectRow{"restore-path", "path", "", 'P', "convoy average {}"},
    DialectRow{"filename", "text", "", 'P', "--filename {}"},
    DialectRow{"N", "int>=1", "", 'P', "--count {}"},
    DialectRow{"mode", "mean|exponential", "", 'P', "--mode {}"},
    DialectRow{"decay", "number:0..1", "0.99", 'P', "--decay {}"},
    DialectRow{"discard-last", "int>=0", "0", 'P', "--discard-last {}"},
};
constexpr std::array upload_rows{
    DialectRow{"base-folder", "path", "", 'P', "the folder of the run"},
    DialectRow{"name", "text", "", 'P', "the run's name there"},
    DialectRow{"project", "text", "large-scale-cnn", 'P', "--wandb-project"},
};
constexpr std::array time_rows{
    DialectRow{"upload", "flag", "false", 'P',
               "!nothing is sent from here; try: wandb sync RUN_DIR/wandb"},
};

void fill_and_plan_train(DialectPlan& plan) {
  fill_graphcore_config(plan);
  // Rows of a configuration count like typed ones.
  plan.apply_rows();
  plan_graphcore_train(plan);
}

void fill_and_plan_validation(DialectPlan& plan) {
  fill_graphcore_config(plan);
  plan_graphcore_validation(plan);
}

void need(DialectPlan& plan, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!plan.has(name)) plan.refuse(name, fmt::format("is required; try: --{} VALUE", name));
  }
}

void plan_restore(DialectPlan& plan) {
  need(plan, {"restore-path"});
  const std::string from = plan.text("restore-path");
  plan.options.clear();
  plan.verb = "resume";
  plan.verb_words = {from};
}

void plan_average(DialectPlan& plan) {
  need(plan, {"restore-path", "filename", "mode"});
  plan.drop("restore-path");
  plan.verb = "average";
  plan.verb_words = {plan.text("restore-path")};
  std::string file = plan.text("filename");
  if (!file.ends_with(".safetensors")) plan.set("filename", file + ".safetensors");
  if (plan.text("mode") == "mean") plan.drop("decay");
  if (plan.count("discard-last") == 0) plan.drop("discard-last");
}

void plan_upload(DialectPlan& plan) {
  plan.refuse(
      "name",
      "nothing is sent from here; try: convoy cnns train --wandb, then wandb sync RUN_DIR/wandb");
}

void plan_time(DialectPlan& plan) {
  plan.refuse("upload",
              "times of a whole system are taken by hand; try: convoy poprun --num-replicas 16 "
              "--num-instances 8 train.py --config mk2_resnet50_mlperf_pod16_lars --seed 1");
}

}  // namespace

Dialect cnns_dialect() {
  return {
      .name = "cnns",
      .summary = "Graphcore's CNN training: train, validation, restore, weight_avg",
      .programs = {
          {.name = "train",
           .summary = "trains ResNet, ResNeXt or EfficientNet on ImageNet or CIFAR",
           .rows = {graphcore_main_rows, graphcore_model_rows, graphcore_data_rows,
                    graphcore_training_rows, graphcore_schedule_rows, graphcore_device_rows,
                    graphcore_log_rows},
           .variables = graphcore_variables,
           .example = "convoy cnns train --config mk2_resnet8_test --data-dir cifar-10-batches-bin",
           .plan = fill_and_plan_train},
          {.name = "validation",
           .summary = "validates the checkpoints of a run",
           .rows = {graphcore_main_rows, validation_rows, graphcore_model_rows, graphcore_data_rows,
                    graphcore_training_rows, graphcore_schedule_rows, graphcore_device_rows,
                    graphcore_log_rows},
           .variables = graphcore_variables,
           .example = "convoy cnns validation --restore-path logs/RN8_bs32_BN_16.16",
           .plan = fill_and_plan_validation},
          {.name = "restore",
           .summary = "goes on with a run",
           .rows = {restore_rows},
           .example = "convoy cnns restore --restore-path logs/RN8_bs32_BN_16.16",
           .plan = plan_restore},
          {.name = "weight_avg",
           .summary = "averages checkpoints",
           .rows = {average_rows},
           .example = "convoy cnns weight_avg --restore-path logs/RN8_bs32_BN_16.16 --filename "
                      "mean -N 5 --mode mean",
           .plan = plan_average},
          {.name = "upload_run",
           .summary = "is not available: nothing is sent",
           .rows = {upload_rows},
           .plan = plan_upload},
          {.name = "run_and_time",
           .summary = "is not available: times of a whole system",
           .rows = {time_rows},
           .words = {"NUM-REPLICAS", "SEED", "HOST0", "PARTITION", "SERVER", "NETMASK", "USER"},
           .plan = plan_time}}};
}

}  // namespace convoy
