// Habana's SSD-ResNet34 on COCO: ssd.

#include <array>
#include <cmath>
#include <filesystem>

#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"dtype d", "fp32|bf16", "bf16", 'S', "--precision"},
    DialectRow{"batch_size b", "int>=1", "128", 'P', "--batch-size {}"},
    DialectRow{"epochs e", "number>=1", "50", 'P', "--epochs, whole ones"},
    DialectRow{"mode", "train|eval", "train", 'P', "convoy train, or convoy eval --all"},
    DialectRow{"max_cpus", "int>=1", "16", 'P', "the run keeps to the first N cores"},
    DialectRow{"num_parallel_calls", "int>=1", "64", 'P', "samples are made by --workers threads"},
    DialectRow{"threadpool_size", "int>=0", "0", 'P', "--workers {}"},
    DialectRow{"hvd_workers", "int", "1", 'H', "as there: workers come from mpirun"},
    DialectRow{"num_workers_per_hls", "int", "8", 'H', "as there: workers come from mpirun"},
    DialectRow{"kubernetes_run", "truthy", "", 'H', "as there: workers come from mpirun"},
    DialectRow{"use_horovod", "flag", "false", 'P',
               "the workers are one run: gradients are averaged"},
    DialectRow{"inference", "path", "", 'P', "convoy predict --input {}"},
    DialectRow{"no_hpu", "flag", "false", 'P', "Convoy computes on the CPU"},
    DialectRow{"distributed_bn", "flag", "false", 'P', "--sync-bn --bn-variance biased"},
    DialectRow{"vis_dataloader", "flag", "false", 'P',
               "!boxes are not added to batches; try: convoy check, which draws them"},
    DialectRow{"profile", "ints*2", "0,0", 'P', "--profile {}"},
    DialectRow{"use_cocoeval_cc", "flag", "false", 'P',
               "there is one evaluator, as exact as COCO's"},
    DialectRow{"use_fake_data f", "flag", "false", 'P', "generated images, --dataset generated"},
    DialectRow{"lr_warmup_epoch", "number>=0", "5.0", 'P', "--warmup-epochs {}"},
    DialectRow{"base_lr", "number>0", "3e-3", 'P', "--base-lr {} --lr-batch 32"},
    DialectRow{"weight_decay", "number>=0", "5e-4", 'P', "--weight-decay {}"},
    DialectRow{"k", "int>=0", "0", 'P', "--piecewise-stretch {}"},
    DialectRow{"model_dir", "path", "/tmp/ssd", 'P', "the run's folder, --output and --name"},
    DialectRow{"resnet_checkpoint", "path", "/data/ssd_r34-mlperf", 'P', "--init-from {}"},
    DialectRow{"data_dir", "path", "/data/coco2017/ssd_tf_records", 'P', "--data-dir {}"},
    DialectRow{"eval_samples", "int>=1", "5000", 'P', "--eval-samples {}"},
    DialectRow{"num_examples_per_epoch", "int>=1", "117266", 'P',
               "--epoch-steps, that many images"},
    DialectRow{"steps s", "int>=0", "0", 'P', "--max-steps {}"},
    DialectRow{"log_step_count_steps v", "int>=1", "1", 'P', "--log-steps {}"},
    DialectRow{"save_checkpoints_epochs c", "number>0", "5.0", 'P', "--checkpoint-epochs {}"},
    DialectRow{"keep_ckpt_max", "int>=1", "20", 'P', "--checkpoint-keep {}"},
    DialectRow{"save_summary_steps", "int>=1", "1", 'P',
               "scalars for TensorBoard come with the lines of the log"},
    DialectRow{
        "static", "flag", "false", 'P',
        "!static data sets are not read; try: without it, the loader keeps pictures in memory"},
    DialectRow{"recipe_cache", "path", "/tmp/ssd_recipe_cache/", 'H',
               "nothing is compiled that a file could keep"},
};

constexpr std::array static_rows{
    DialectRow{"input_pattern i", "text", "", 'P', "!"},
    DialectRow{"output_dir o", "path", "", 'P', "!"},
    DialectRow{"batch_size b", "int>=1", "", 'P', "!"},
    DialectRow{"steps s", "int>=1", "", 'P', "!"},
    DialectRow{"workers w", "int>=1", "1", 'P', "!"},
};

constexpr std::array variables{
    DialectVariable{"PYTHON", "path", 'H', "there is no Python"},
    DialectVariable{"PYTHONPATH", "text", 'H', "there is no Python"},
    DialectVariable{"TMP_DIR", "path", 'H', "nothing is unpacked"},
    DialectVariable{"SSD_PATH", "path", 'H', "there are no patches"},
    DialectVariable{"TF_RECIPE_CACHE_PATH", "path", 'H',
                    "nothing is compiled that a file could keep"},
    DialectVariable{"TF_BF16_CONVERSION", "text", 'S', "--dtype decides"},
    DialectVariable{"TF_DISABLE_MKL", "bool", 'H', "there is no TensorFlow; oneDNN computes"},
    DialectVariable{"TF_DONT_CLUSTER", "text", 'H', "there is no TensorFlow"},
    DialectVariable{"CUDA_VISIBLE_DEVICES", "text", 'H', "Convoy computes on the CPU"},
};

constexpr int64_t coco_images = 117266;

void plan_eval(DialectPlan& plan) {
  plan.options.clear();
  const bool is_picture = plan.has("inference");
  plan.verb = is_picture ? "predict" : "eval";
  plan.set("checkpoint", plan.text("model_dir"));
  if (is_picture) {
    plan.set("input", plan.text("inference"));
    plan.set("draw", "out.png");
    return;
  }
  plan.set("all", "true");
  plan.set("data-dir", plan.text("data_dir"));
  if (plan.given("eval_samples")) plan.set("eval-samples", plan.text("eval_samples"));
  plan.explain("mode", "convoy eval --all: every checkpoint of the run in model_dir");
}

void plan_optimizer(DialectPlan& plan) {
  plan.set("optimizer", "sgd");
  plan.set("momentum", "0.9");
  plan.set("decay-norm-bias", "true");
  plan.set("bn-momentum", "0.1");
  plan.set("lr-schedule", "piecewise");
  plan.set("piecewise-epochs", "40,50");
  plan.set("piecewise-factors", "0.1,0.01");
  if (plan.number("lr_warmup_epoch") > 0) plan.set("warmup-kind", "replace");
}

void plan_data(DialectPlan& plan) {
  plan.set("dataset", "coco");
  plan.set("crop", "ssd-crop");
  plan.set("eval-crop", "ssd-whole");
  plan.set("augment", "flip,ssd-jitter");
  plan.set("normalise", "mean-std-reciprocal");
  plan.set("epoch-tail", "wrap");
  if (plan.on("use_fake_data")) plan.use_generated(coco_images);
  const int64_t examples = plan.count("num_examples_per_epoch");
  const int64_t batch = plan.count("batch_size") * plan.processes().ranks;
  if (examples != coco_images)
    plan.set("epoch-steps", std::to_string((examples + batch - 1) / batch));
  if (!plan.given("eval_samples") || plan.count("eval_samples") == 5000) plan.drop("eval-samples");
}

void plan_start(DialectPlan& plan) {
  std::error_code none;
  const std::string folder = plan.text("resnet_checkpoint");
  if (plan.given("resnet_checkpoint") || std::filesystem::exists(folder, none)) return;
  plan.drop("init-from");
  plan.note(
      folder +
      " is not here: the trunk starts from random numbers; --resnet_checkpoint names its weights");
}

void plan_ssd(DialectPlan& plan) {
  plan.need_parallel(plan.on("use_horovod"), "--use_horovod");
  if (plan.on("distributed_bn") && !plan.on("use_horovod")) {
    plan.refuse("distributed_bn", "is for several workers; try: --use_horovod");
  }
  if (plan.text("mode") == "eval" || plan.has("inference")) return plan_eval(plan);
  plan.set("model", "ssd_resnet34");
  plan_data(plan);
  plan_optimizer(plan);
  plan_start(plan);
  plan.set("epochs", std::floor(plan.number("epochs")));
  plan.set("eval-epochs", "0");
  const bool is_half = plan.text("dtype") == "bf16";
  if (is_half) plan.set("precision", "16.32");
  plan.explain("dtype", is_half ? "--precision 16.32: bf16, weights in fp32" : "--precision 32.32");
  if (!plan.given("profile") || plan.text("profile") == "0,0") plan.drop("profile");
  if (plan.count("steps") == 0) plan.drop("max-steps");
  if (plan.count("threadpool_size") == 0) plan.drop("workers");
  const int ranks = plan.processes().ranks;
  if (ranks > 1) plan.set("replicas", std::to_string(ranks));
  if (plan.on("distributed_bn") && ranks > 1) {
    plan.set("sync-bn", "true");
    plan.set("bn-variance", "biased");
  }
  plan.use_folder(plan.text("model_dir"));
  plan.continues = true;
  if (plan.given("max_cpus")) plan.max_cpus = static_cast<int>(plan.count("max_cpus"));
}

void plan_static(DialectPlan& plan) {
  plan.refuse("output_dir",
              "data sets of whole batches are not made; try: convoy ssd without --static, "
              "whose loader keeps pictures in memory");
}

}  // namespace

Dialect ssd_dialect() {
  return {.name = "ssd",
          .summary = "Habana's SSD-ResNet34 on COCO: ssd",
          .programs = {{.name = "ssd",
                        .summary = "trains, evaluates and shows SSD-ResNet34",
                        .rows = {rows},
                        .variables = variables,
                        .example = "convoy ssd -e 64 -b 128 -d bf16 --model_dir /tmp/ssd_1_hpu "
                                   "--data_dir /data/tensorflow/coco2017/ssd_tf_records",
                        .plan = plan_ssd},
                       {.name = "generate_static_dataset",
                        .summary = "is not available: data sets of whole batches",
                        .rows = {static_rows},
                        .variables = {},
                        .plan = plan_static}}};
}

}  // namespace convoy
