#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "config/value.h"
#include "dialects/graphcore_case.h"

namespace convoy {
namespace {

std::string dataset_of(const DialectPlan& plan) {
  if (plan.has("dataset")) return plan.text("dataset");
  std::string path =
      small_letters(plan.has("data-dir") ? plan.text("data-dir") : plan.variable("DATA_DIR"));
  const auto has = [&](std::string_view word) { return path.find(word) != path.npos; };
  if (has("imagenet")) return "imagenet";
  if (has("cifar100") || has("cifar-100")) return "cifar-100";
  if (has("cifar")) return "cifar-10";
  raise(Fault::usage,
        "convoy cnns ({}): which dataset? neither --dataset nor the name of the folder tells; try: "
        "--dataset imagenet, cifar-10 or cifar-100",
        plan.program.name);
}

GraphcoreRun case_of(const DialectPlan& plan) {
  GraphcoreRun which;
  which.model = plan.text("model");
  which.dataset = dataset_of(plan);
  which.optimiser = plan.text("optimiser");
  which.usual = graphcore_defaults(which);
  which.images = which.is_cifar() ? cifar_images : imagenet_images;
  which.batch = plan.has("batch-size") ? plan.count("batch-size") : which.usual.batch;
  which.accumulation = plan.count("gradient-accumulation-count");
  which.replicas = plan.count("replicas");
  which.by_steps = plan.has("iterations");
  return which;
}

void plan_model(DialectPlan& plan, const GraphcoreRun& which) {
  const std::string size = plan.has("model-size") ? plan.text("model-size") : which.usual.size;
  std::string model = graphcore_model(plan, which, size);
  const bool is_efficient = which.model == "efficientnet";
  const std::string group = plan.has("group-dim") ? plan.text("group-dim") : "1";
  const std::string expand = plan.text("expand-ratio");
  if (is_efficient && !which.is_cifar() && group == "16" && expand == "4") {
    model += "_g16";
  } else if (is_efficient) {
    if (group != "1") plan.set("group-dim", group);
    if (expand != "6") plan.set("expand-ratio", expand);
  }
  if (which.model == "resnext" && plan.has("group-dim") && plan.text("group-dim") != "4") {
    plan.refuse("group-dim", "ResNeXts have groups of 4 channels; try: without it");
  }
  plan.set("model", model);
  plan.explain("model", "--model " + model);
  plan.explain("model-size", "--model " + model);
}

void plan_norm(DialectPlan& plan, const GraphcoreRun& which) {
  if (plan.on("batch-norm") && plan.on("group-norm")) {
    plan.refuse("batch-norm", "and --group-norm exclude each other; try: one of them");
  }
  const bool usual_is_batch = which.is_cifar() && which.model != "efficientnet";
  const bool is_batch = plan.on("batch-norm") || (usual_is_batch && !plan.on("group-norm"));
  plan.drop("norm");
  if (plan.on("batch-norm") && !usual_is_batch) plan.set("norm", "batch");
  if (plan.on("group-norm") && usual_is_batch) plan.set("norm", "group");
  const bool is_efficient = which.model == "efficientnet";
  const char* usual_groups = is_efficient ? "4" : which.is_cifar() ? "16" : "32";
  if (!is_batch && plan.has("groups") && plan.text("groups") != usual_groups) {
    plan.set("norm-groups", plan.text("groups"));
  }
  if (!is_batch) {
    plan.drop("bn-span");
    return;
  }
  plan.set("bn-momentum", std::round((1 - plan.number("BN-decay")) * 1e12) / 1e12);
  if (which.accumulation > 1) plan.set("bn-update", "step");
  if (plan.count("BN-span") == 1) plan.drop("bn-span");
}

void plan_checkpoints(DialectPlan& plan) {
  const int64_t per_epoch = plan.count("ckpts-per-epoch"), every = plan.count("epochs-per-ckpt");
  if (every > 0 && per_epoch != 1) {
    plan.refuse("epochs-per-ckpt", "and --ckpts-per-epoch exclude each other; try: one of them");
  }
  const double epochs = every > 0       ? static_cast<double>(every)
                        : per_epoch > 0 ? 1.0 / static_cast<double>(per_epoch)
                                        : 0;
  plan.set("checkpoint-epochs", epochs);
  plan.explain("ckpts-per-epoch", fmt::format("--checkpoint-epochs {}", epochs));
  const bool validates = !plan.on("no-validation") && epochs > 0;
  plan.set("eval-epochs", validates ? epochs : 0);
  if (plan.count("ckpt-epochs-offset") > 0 && epochs > 0) {
    if (validates) plan.set("eval-epochs-offset", plan.text("ckpt-epochs-offset"));
  } else {
    plan.drop("checkpoint-epochs-offset");
  }
  const bool averages = plan.has("weight-avg-N") || plan.has("weight-avg-exp");
  if (averages) {
    plan.set("checkpoint-keep", "1000");
    for (const char* key : {"weight-avg-N", "weight-avg-exp"}) {
      for (const std::string& value : plan.list(key)) {
        const bool is_mean = std::string_view(key) == "weight-avg-N";
        plan.note(
            fmt::format("checkpoints are kept for their average: convoy average RUN_DIR {} {}",
                        is_mean ? "--mode mean -N" : "--mode exponential --decay", value));
      }
    }
  }
}

void plan_length(DialectPlan& plan, const GraphcoreRun& which) {
  if (which.by_steps && plan.given("epochs")) {
    plan.refuse("iterations", "and --epochs both say how long the run is; try: one of them");
  }
  plan.drop("epochs");
  if (!which.by_steps) {
    plan.set("epochs", plan.has("epochs") ? plan.number("epochs") : which.usual.epochs);
  }
  plan.set("epoch-tail", "carry");
  plan.set("batch-size", std::to_string(which.batch));
  plan.set("replicas", std::to_string(which.replicas));
  if (which.replicas > 1 && plan.count("BN-span") == 1) plan.set("replica-mode", "sequence");
  if (plan.count("replicas") % plan.count("BN-span") != 0) {
    plan.refuse("BN-span", "does not divide the replicas");
  }
  const int64_t steps =
      which.by_steps ? plan.count("log-freq")
                     : std::max<int64_t>(1, which.epoch_steps() / plan.count("logs-per-epoch"));
  plan.set("log-steps", std::to_string(steps));
  plan.explain("logs-per-epoch", fmt::format("--log-steps {}", steps));
  const double megabytes = plan.number("max-cross-replica-buffer-size") / (1 << 20);
  if (plan.given("max-cross-replica-buffer-size")) plan.set("bucket-mb", std::max(0.01, megabytes));
  plan_checkpoints(plan);
  const int64_t share = plan.count("dataset-percentage-to-use");
  if (share < 100) {
    plan.set("epoch-steps", std::to_string(std::max<int64_t>(
                                1, which.images * share / 100 / which.global_batch())));
  }
}

void plan_pictures(DialectPlan& plan, const GraphcoreRun& which) {
  plan.set("dataset", which.dataset);
  plan.explain("dataset", "--dataset " + which.dataset);
  if (which.is_cifar()) {
    if (plan.has("image-size") && plan.text("image-size") != "32") {
      plan.refuse("image-size", "CIFAR's images have 32 x 32 pixels; try: without it");
    }
    plan.set("normalise", "standardise");
    plan.set("normalise-first", "true");
    plan.set("augment", "flip,pad-crop");
    plan.set("crop-padding", "4");
    plan.drop("image-size");
  } else {
    plan.set("crop", "distorted-box");
    plan.set("interpolation", "legacy-bilinear");
    plan.set("augment", "flip");
    if (!plan.on("normalise-input")) {
      plan.set("mean", "0.485019608,0.457960784,0.407607843");
      plan.set("std", "0.00392156863");
    }
  }
  if (plan.on("train-with-valid-preprocessing")) {
    if (!which.is_cifar()) plan.set("crop", "centre");
    plan.set("augment", "none");
    if (which.is_cifar()) plan.drop("crop-padding");
  }
}

void plan_data(DialectPlan& plan, const GraphcoreRun& which) {
  plan_pictures(plan, which);
  if (plan.on("generated-data") || plan.on("synthetic-data")) {
    plan.use_generated(which.images);
    for (const char* key : {"mixup-alpha", "mixup-form", "cutmix-lambda", "cutmix-version"})
      plan.drop(key);
    if (plan.number("mixup-alpha") > 0 || plan.number("cutmix-lambda") < 1) {
      plan.note("generated data are not mixed, as there");
    }
    return;
  }
  if (!plan.has("data-dir") && plan.variable("DATA_DIR").empty()) {
    plan.note("no --data-dir and no DATA_DIR: a run needs the folder of the data");
  }
  if (plan.number("mixup-alpha") == 0) {
    plan.drop("mixup-alpha");
  } else if (plan.number("cutmix-lambda") == 1) {
    plan.set("mixup-form", "sample");
  }
  if (plan.number("cutmix-lambda") == 1) {
    plan.drop("cutmix-lambda");
    plan.drop("cutmix-version");
  }
  if (plan.given("pipeline-num-parallel")) {
    const int64_t workers =
        std::min<int64_t>(plan.count("pipeline-num-parallel"), available_cores());
    plan.set("workers", std::to_string(workers));
    plan.explain("pipeline-num-parallel", fmt::format("--workers {}", workers));
  }
}

// One process has all stages of a pipeline, and runs them in turn: the same result in less memory.
void plan_stages(DialectPlan& plan) {
  const std::string schedule = plan.text("pipeline-schedule");
  const int64_t shards = plan.count("shards");
  plan.drop("shards");
  if (!plan.on("pipeline") || !plan.on("enable-recomputation")) {
    plan.drop("pipeline");
    plan.drop("pipeline-splits");
  } else {
    plan.set("pipeline-schedule", "Sequential");
  }
  if (!plan.on("pipeline") || (shards == 1 && schedule == "Sequential")) return;
  plan.explain("pipeline-schedule",
               "Sequential: the stages run one after another, with the same result");
  plan.explain("shards", "each process has all stages of its replicas");
  plan.note(fmt::format(
      "{} stages on {} device{} run one after another in each process, with the same result",
      plan.list("pipeline-splits").size() + 1, shards, shards == 1 ? "" : "s"));
}

void check_devices(DialectPlan& plan) {
  const auto shards = plan.count("shards");
  const size_t splits = plan.list("pipeline-splits").size();
  if (shards > 1 && !plan.on("pipeline")) {
    plan.refuse("shards", "needs --pipeline; try: --pipeline --pipeline-splits");
  }
  if (splits > 1 && !plan.on("pipeline")) {
    plan.refuse("pipeline-splits", "needs --pipeline");
  }
  const size_t shares = plan.list("available-memory-proportion").size();
  if (shares > 1 && !plan.on("pipeline")) {
    plan.refuse("available-memory-proportion", "several values need --pipeline; try: one value");
  }
  if (shares > 1 && shares != static_cast<size_t>(2 * shards)) {
    plan.refuse("available-memory-proportion",
                fmt::format("takes one value, or two for each of {} shards", shards));
  }
  if (plan.count("syncs-per-epoch") > 0 && plan.number("epochs-per-sync") > 0) {
    plan.refuse("syncs-per-epoch", "and --epochs-per-sync exclude each other; try: one of them");
  }
  const bool syncs = plan.count("syncs-per-epoch") > 0 || plan.number("epochs-per-sync") > 0;
  if (syncs && plan.processes().ranks == 1) {
    plan.refuse("syncs-per-epoch", "is for several instances; try: convoy poprun");
  }
  if (plan.on("distributed") && plan.count("batches-per-step") != 1) {
    plan.refuse("distributed", "needs --batches-per-step 1");
  }
  plan_stages(plan);
}

void plan_precision(DialectPlan& plan) {
  if (plan.text("precision") == "32.32") {
    plan.drop("precision");
    plan.drop("stochastic-rounding");
    return;
  }
  if (plan.on("offload-fp32-weight-copy")) plan.set("precision", "16.32");
  plan.set("dtype", "fp16");
  if (plan.text("precision") == "16.32" || plan.on("offload-fp32-weight-copy")) {
    plan.drop("stochastic-rounding");  // of weights, which are in fp32
  }
  plan.explain("precision",
               fmt::format("--precision {} --dtype fp16", plan.options.at("precision").text));
}

// "RN50_bs20x16rx6a_BN_16.16", as there, without its version and random letters.
std::string run_name(const DialectPlan& plan, const GraphcoreRun& which) {
  const std::string size = plan.has("model-size") ? plan.text("model-size") : which.usual.size;
  const std::string head = which.model == "resnet"    ? "RN"
                           : which.model == "resnext" ? "RNX"
                                                      : "EfficientNet-";
  std::string name = fmt::format("{}{}_bs{}", head, size, which.batch);
  const std::string replicas = which.replicas > 1 ? fmt::format("x{}r", which.replicas) : "";
  const std::string parts =
      fmt::format("x{}{}", which.accumulation, plan.on("pipeline") ? "p" : "a");
  const std::string accumulation = which.accumulation > 1 || plan.on("pipeline") ? parts : "";
  name += which.model == "efficientnet" ? accumulation + replicas : replicas + accumulation;
  const bool is_batch =
      plan.on("batch-norm") ||
      (which.is_cifar() && which.model != "efficientnet" && !plan.on("group-norm"));
  const std::string groups = plan.has("groups")              ? plan.text("groups")
                             : which.model == "efficientnet" ? "4"
                             : which.is_cifar()              ? "16"
                                                             : "32";
  name += is_batch ? "_BN" : "_GN" + groups;
  name += "_" + plan.text("precision");
  if (plan.on("no-stochastic-rounding")) name += "_noSR";
  if (plan.has("name-suffix")) name += "_" + plan.text("name-suffix");
  return name;
}

void plan_logs(DialectPlan& plan, const GraphcoreRun& which) {
  if (plan.has("logs-path")) {
    plan.use_folder(plan.text("logs-path"));
  } else {
    plan.set("name", run_name(plan, which));
  }
  if (plan.on("wandb")) plan.set("wandb-project", plan.text("wandb-project"));
}

}  // namespace

void plan_graphcore_train(DialectPlan& plan) {
  const DialectProcesses& all = plan.processes();
  if (plan.has("restore-path")) {
    const std::string from = plan.text("restore-path");
    plan.options.clear();
    plan.verb = "resume";
    plan.verb_words = {from};
    return;
  }
  const GraphcoreRun which = case_of(plan);
  if (all.ranks > 1 && which.replicas < all.ranks) {
    plan.refuse("replicas",
                fmt::format("{} processes need as many; try: --replicas {}", all.ranks, all.ranks));
  }
  plan_model(plan, which);
  plan_norm(plan, which);
  plan_graphcore_update(plan, which);
  plan_length(plan, which);
  plan_data(plan, which);
  check_devices(plan);
  plan_precision(plan);
  plan_logs(plan, which);
  const bool smooths = which.model == "efficientnet" && !which.is_cifar();
  if (smooths && !plan.given("label-smoothing")) {
    plan.set("label-smoothing", "0.1");
  } else if (plan.number("label-smoothing") == 0) {
    plan.drop("label-smoothing-kind");
  }
  if (plan.on("compile-only")) plan.verb = "plan";
}

void plan_graphcore_validation(DialectPlan& plan) {
  if (!plan.has("restore-path")) {
    plan.refuse("restore-path",
                "weights by chance are not worth validating; try: --restore-path RUN_DIR");
  }
  const std::string data = plan.text("data-dir"), batch = plan.text("valid-batch-size");
  const std::string from = plan.text("restore-path");
  plan.options.clear();
  plan.verb = "eval";
  plan.set("checkpoint", from);
  plan.set("all", "true");
  if (!data.empty()) plan.set("data-dir", data);
  if (!batch.empty()) plan.set("eval-batch-size", batch);
}

}  // namespace convoy
