// torchvision's reference training of classifiers, in Habana's version for GPU migration: train.

#include <fmt/core.h>

#include <array>
#include <filesystem>

#include "base/text/text.h"
#include "config/value.h"
#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"data-path", "path", "/datasets01/imagenet_full_size/061417/", 'P', "--data-dir {}"},
    DialectRow{"model", "text", "resnet18", 'P', "--model {}"},
    DialectRow{"device", "cuda|hpu|ipu|cpu|xpu|mps", "cuda", 'P', "Convoy computes on the CPU"},
    DialectRow{"batch-size b", "int>=1", "32", 'P', "--batch-size {}"},
    DialectRow{"epochs", "int>=1", "90", 'P', "--epochs {}"},
    DialectRow{"workers j", "int>=0", "16", 'P', "--workers {}"},
    DialectRow{"opt", "sgd|sgd_nesterov|rmsprop|adamw", "sgd", 'P', "--optimizer"},
    DialectRow{"lr", "number>=0", "0.1", 'P', "--lr {}"},
    DialectRow{"momentum", "number:0..1", "0.9", 'P', "--momentum {}"},
    DialectRow{"wd weight-decay", "number>=0", "1e-4", 'P', "--weight-decay {}"},
    DialectRow{"norm-weight-decay", "number>=0", "", 'P', "--norm-weight-decay {}"},
    DialectRow{"bias-weight-decay", "number>=0", "", 'P', "--bias-weight-decay {}"},
    DialectRow{"transformer-embedding-decay", "number>=0", "", 'P',
               "nothing: there are no transformers"},
    DialectRow{"label-smoothing", "number:0..1", "0", 'P', "--label-smoothing {}"},
    DialectRow{"mixup-alpha", "number>=0", "0", 'P', "--mixup-alpha {}"},
    DialectRow{"cutmix-alpha", "number>=0", "0", 'P', "--cutmix-alpha {}"},
    DialectRow{"lr-scheduler", "custom_lr|steplr|cosineannealinglr|exponentiallr", "custom_lr", 'P',
               "--lr-schedule {}"},
    DialectRow{"lr-warmup-epochs", "int>=0", "0", 'P', "--warmup-epochs {}"},
    DialectRow{"lr-warmup-method", "constant|linear", "constant", 'P', "--warmup-method {}"},
    DialectRow{"lr-warmup-decay", "number:0..1", "0.01", 'P', "--warmup-start {}"},
    DialectRow{"lr-step-size", "int>=1", "30", 'P', "--lr-step-size of steplr"},
    DialectRow{"lr-gamma", "number>=0", "0.1", 'P',
               "--learning-rate-decay of steplr and exponentiallr"},
    DialectRow{"lr-min", "number>=0", "0", 'P', "--min-lr of cosineannealinglr"},
    DialectRow{"print-freq", "int>=1", "10", 'P', "--log-steps {}"},
    DialectRow{"output-dir", "path", ".", 'P', "the run's folder, --output and --name"},
    DialectRow{"resume", "path", "", 'P', "convoy resume {}"},
    DialectRow{"start-epoch", "int>=0", "0", 'P',
               "!a resumed run goes on where it stopped; try: --resume RUN_DIR alone"},
    DialectRow{"cache-dataset", "flag", "false", 'P', "nothing: folders are listed in seconds"},
    DialectRow{"sync-bn", "flag", "false", 'P', "--sync-bn between the processes"},
    DialectRow{"test-only", "flag", "false", 'P', "convoy eval"},
    DialectRow{"auto-augment", "ra|ta_wide|augmix|imagenet|cifar10|svhn", "", 'P',
               "--auto-augment {}"},
    DialectRow{"ra-magnitude", "int:0..30", "9", 'P', "--ra-magnitude of ra"},
    DialectRow{"augmix-severity", "int:1..10", "3", 'P', "--augmix-severity of augmix"},
    DialectRow{"random-erase", "number:0..1", "0", 'P', "--random-erase {}"},
    DialectRow{"amp", "flag", "false", 'S', "--precision 16.32"},
    DialectRow{"world-size", "int>=1", "1", 'P', "the processes of torchrun"},
    DialectRow{"dist-url", "text", "env://", 'P', "processes find each other by MPI"},
    DialectRow{"model-ema", "flag", "false", 'P', "--model-ema true"},
    DialectRow{"model-ema-steps", "int>=1", "32", 'P', "--ema-steps, with --model-ema"},
    DialectRow{"model-ema-decay", "number:0..1", "0.99998", 'P', "--ema-decay, with --model-ema"},
    DialectRow{"use-deterministic-algorithms", "flag", "false", 'P', "every run is deterministic"},
    DialectRow{"interpolation", "nearest|bilinear|bicubic", "bilinear", 'P', "--interpolation {}"},
    DialectRow{"val-resize-size", "int>=1", "256", 'P', "--eval-resize {}"},
    DialectRow{"val-crop-size", "int>=1", "224", 'P', "--eval-image-size {}"},
    DialectRow{"train-crop-size", "int>=1", "224", 'P', "--image-size {}"},
    DialectRow{"clip-grad-norm", "number>0", "", 'P', "--clip-grad-norm {}"},
    DialectRow{"ra-sampler", "flag", "false", 'P', "--ra-sampler true"},
    DialectRow{"ra-reps", "int>=2", "3", 'P', "--ra-reps, with --ra-sampler"},
    DialectRow{"weights", "text", "", 'P', "--init-from {}"},
    DialectRow{"use-torch-compile", "flag", "false", 'H',
               "the whole network is compiled before the first step"},
    DialectRow{"dl-worker-type", "MP|HABANA", "HABANA", 'P',
               "one loader, threads instead of processes"},
    DialectRow{"seed", "int>=0", "123", 'P', "--seed {}"},
    DialectRow{"save-checkpoint", "flag", "false", 'P', "--checkpoint-epochs 1"},
};

constexpr std::array variables{
    DialectVariable{"PT_HPU_GPU_MIGRATION", "0|1", 'H',
                    "cuda and hpu are the CPU, with or without it"},
    DialectVariable{"PT_HPU_CONVERT_FP16_TO_BF16_FOR_MIGRATION", "0|1", 'S',
                    "1: --amp computes in bf16, not in fp16"},
    DialectVariable{"PT_HPU_LAZY_MODE", "0|1|2", 'H',
                    "the whole network is compiled before the first step"},
    DialectVariable{"PT_HPU_ENABLE_REFINE_DYNAMIC_SHAPES", "0|1", 'H',
                    "all shapes are known before the first step"},
    DialectVariable{"PYTHON", "path", 'H', "there is no Python"},
    DialectVariable{"LD_PRELOAD", "text", 'H', "the ranks of this host inherit it"},
    DialectVariable{"SLURM_PROCID", "int>=0", 'P', "ranks come from srun --mpi=pmix"},
};

void plan_optimizer(DialectPlan& plan) {
  const std::string opt = plan.text("opt");
  plan.set("optimizer", opt.starts_with("sgd") ? "sgd" : opt);
  if (opt == "sgd_nesterov") plan.set("nesterov", "true");
  if (opt == "adamw") plan.drop("momentum");
  if (opt == "rmsprop") {
    plan.set("rmsprop-alpha", "0.9");
    plan.set("rmsprop-epsilon", "0.0316");
  }
  plan.explain("opt", "--optimizer " + plan.options.at("optimizer").text +
                          (opt == "sgd_nesterov" ? " --nesterov" : ""));
  plan.set("decay-norm-bias", "true");
}

void plan_rate(DialectPlan& plan) {
  const std::string schedule = plan.text("lr-scheduler");
  if (schedule == "steplr") plan.set("lr-step-size", plan.text("lr-step-size"));
  if (schedule == "steplr" || schedule == "exponentiallr") {
    plan.set("learning-rate-decay", plan.text("lr-gamma"));
  }
  if (schedule == "cosineannealinglr" && plan.number("lr-min") > 0) {
    plan.set("min-lr", plan.text("lr-min"));
  }
  if (schedule == "custom_lr") plan.set("lr-per", "epoch");
  if (plan.count("lr-warmup-epochs") > 0) return;
  for (const char* key : {"warmup-epochs", "warmup-method", "warmup-start"}) plan.drop(key);
}

void plan_precision(DialectPlan& plan) {
  if (!plan.on("amp")) return;
  const bool converts = plan.variable("PT_HPU_CONVERT_FP16_TO_BF16_FOR_MIGRATION") == "1";
  const std::string device = plan.text("device");
  plan.set("precision", "16.32");
  if (converts || device == "hpu") {
    plan.explain("amp", converts ? "--precision 16.32: fp16 is converted to bf16; nothing to scale"
                                 : "--precision 16.32: bf16");
    return;
  }
  plan.set("dtype", "fp16");
  plan.set("loss-scale", "dynamic");
  plan.explain("amp", "--precision 16.32 --dtype fp16 --loss-scale dynamic");
}

void plan_data(DialectPlan& plan) {
  const std::string path = plan.text("data-path");
  std::error_code none;
  const bool is_imagenet = small_letters(path).find("imagenet") != path.npos;
  if (is_imagenet || !std::filesystem::exists(path, none)) plan.set("dataset", "imagenet");
  plan.set("crop", "random-resized");
  plan.set("augment", "flip");
  plan.set("epoch-tail", "drop");
  if (plan.count("workers") == 0) plan.drop("workers");
  if (!plan.given("workers")) plan.drop("workers");
  if (plan.text("val-crop-size") == plan.text("train-crop-size")) plan.drop("eval-image-size");
  if (plan.text("auto-augment") == "ra") plan.set("ra-magnitude", plan.text("ra-magnitude"));
  if (plan.text("auto-augment") == "augmix")
    plan.set("augmix-severity", plan.text("augmix-severity"));
  if (plan.has("auto-augment")) {
    plan.set("policy-interpolation",
             plan.text("interpolation") == "nearest" ? "nearest" : "bilinear");
  }
  for (const char* key : {"mixup-alpha", "cutmix-alpha", "random-erase"}) {
    if (plan.number(key) == 0) plan.drop(key);
  }
}

void plan_weights(DialectPlan& plan) {
  std::error_code none;
  if (!plan.has("weights") || std::filesystem::exists(plan.text("weights"), none)) return;
  plan.refuse("weights",
              "no such file, and nothing is downloaded; try: a file of torchvision's weights");
}

void plan_average(DialectPlan& plan) {
  if (plan.on("ra-sampler")) {
    if (plan.processes().ranks == 1)
      plan.refuse("ra-sampler", "is for several processes; try: torchrun");
    plan.set("ra-reps", plan.text("ra-reps"));
  }
  if (!plan.on("model-ema")) return;
  plan.set("ema-steps", plan.text("model-ema-steps"));
  plan.set("ema-decay", plan.text("model-ema-decay"));
}

// --resume and --test-only are verbs of their own.
bool plan_other_verb(DialectPlan& plan) {
  const std::string from = plan.text("resume");
  if (plan.on("test-only")) {
    if (from.empty() && !plan.has("weights")) {
      plan.refuse("test-only", "no weights; try: --resume FILE");
    }
    const std::string data = plan.text("data-path");
    plan.options.clear();
    plan.verb = "eval";
    plan.set("checkpoint", from.empty() ? plan.text("weights") : from);
    plan.set("data-dir", data);
    plan.explain("test-only", "convoy eval --checkpoint " + plan.options.at("checkpoint").text);
    return true;
  }
  if (from.empty()) return false;
  std::error_code none;
  if (std::filesystem::is_regular_file(from, none)) {
    plan.refuse(
        "resume",
        "a file of weights holds no run to go on with; try: --resume RUN_DIR, or --weights FILE");
  }
  plan.options.clear();
  plan.verb = "resume";
  plan.verb_words = {from};
  plan.set("epochs", plan.text("epochs"));
  return true;
}

void plan_train(DialectPlan& plan) {
  plan.note(fmt::format("--device {}: Convoy computes on the CPU", plan.text("device")));
  if (plan_other_verb(plan)) return;
  plan_data(plan);
  plan_weights(plan);
  plan_optimizer(plan);
  plan_rate(plan);
  plan_precision(plan);
  plan_average(plan);
  plan.set("eval-epochs", "1");
  if (plan.on("save-checkpoint")) {
    plan.set("checkpoint-keep", plan.text("epochs"));
  } else {
    plan.set("checkpoint-epochs", "0");
  }
  if (plan.given("output-dir")) plan.use_folder(plan.text("output-dir"));
  const int ranks = plan.processes().ranks;
  if (ranks > 1) plan.set("replicas", std::to_string(ranks));
  if (plan.on("sync-bn") && ranks > 1) plan.set("sync-bn", "true");
}

}  // namespace

Dialect torchvision_dialect() {
  return {.name = "torchvision",
          .summary = "torchvision's reference training of classifiers: train",
          .programs = {{.name = "train",
                        .summary = "trains a classifier on folders of pictures",
                        .rows = {rows},
                        .variables = variables,
                        .example =
                            "convoy torchvision --batch-size=256 --model=resnet50 --device=cuda "
                            "--data-path=/data/pytorch/imagenet/ILSVRC2012 --workers=8 --epochs=90 "
                            "--opt=sgd --amp --use-torch-compile",
                        .plan = plan_train}}};
}

}  // namespace convoy
