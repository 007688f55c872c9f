#include "config/other_stacks.h"

#include <fmt/core.h>

#include <array>

namespace convoy {
namespace {

// The names that other programs use for one thing. `key` is our option that `advice` names. A name
// may be in several rows: the first row whose key the verb has is used. If the verb has none of
// them, only the meaning is printed.
struct Row {
  std::string_view names;  // separated by spaces
  std::string_view meaning;
  std::string_view key;  // empty: the advice is valid for every verb
  std::string_view advice;
};

constexpr std::array rows{
    Row{"device devices cuda gpu gpus gpu-id gpu-ids num-gpus ngpus ngpu n-gpus accelerator cpu "
        "no-cuda use-cuda no-gpu tpu hpu ipu",
        "chooses a device, and Convoy always computes on the CPU", "threads",
        "without it (--threads N chooses how many cores)"},
    Row{"fp16 half bf16 bfloat16 float16 mixed-precision use-amp native-amp apex-amp "
        "apex-opt-level opt-level amp-dtype autocast fp16-opt-level enable-half use-bf16",
        "asks for 16-bit storage", "precision", "--precision 16.32 (bf16), or 32.32 for fp32"},
    Row{"data datadir data-root dataset-dir dataset-path data-folder data-location root path "
        "imagenet-dir imagenet-path image-dir images source",
        "is the folder of the data", "data-dir", "--data-dir DIR"},
    Row{"train-dir traindir train-data train-path train-folder val-dir valdir val-data val-path "
        "test-dir validation-dir eval-dir",
        "is one of two folders; here one folder holds both train and val", "data-dir",
        "--data-dir DIR"},
    Row{"arch a architecture net network model-name model-type backbone", "is the model", "model",
        "--model NAME; convoy list models shows all"},
    Row{"pretrained weights pretrained-weights load load-from load-weights checkpoint model-path "
        "initial-checkpoint finetune finetune-from ckpt ckpt-path pretrained-path",
        "loads weights; here they come from a file, and nothing is downloaded", "init-from",
        "--init-from FILE or --init-from RUN_DIR"},
    Row{"weights pretrained load load-from load-weights model-path initial-checkpoint ckpt "
        "ckpt-path pretrained-path weights-path model-file init-from",
        "names the weights", "checkpoint", "--checkpoint FILE or --checkpoint RUN_DIR"},
    Row{"resume resume-from resume-from-checkpoint continue restore auto-resume start-epoch",
        "goes on with a run; here that is a verb", "", "convoy resume RUN_DIR"},
    Row{"evaluate eval test-only eval-only test validate only-eval do-eval",
        "evaluates instead of training; here that is a verb", "epochs",
        "convoy eval --checkpoint RUN_DIR"},
    Row{"num-workers n-workers loader-threads dataloader-num-workers worker num-threads-data",
        "is the number of threads or processes that load pictures", "workers",
        "--workers N, or without it"},
    Row{"num-threads nthreads n-threads cores num-cores intra-op-threads inter-op-threads "
        "intra-threads inter-threads omp-num-threads",
        "is the number of threads that compute", "threads", "--threads N"},
    Row{"world-size nproc-per-node nnodes node-rank dist-url dist-backend local-rank master-addr "
        "master-port distributed multiprocessing-distributed ddp horovod use-horovod num-nodes "
        "num-processes nprocs rank strategy",
        "sets up several processes; here a verb starts them", "replicas",
        "convoy launch -np N -- train ... --replicas N"},
    Row{"compile torchcompile torch-compile jit torchscript channels-last memory-format ipex "
        "benchmark cudnn-benchmark no-benchmark fuser xla use-xla enable-xla tf32 allow-tf32",
        "makes a program faster; Convoy chooses layouts and fuses operations by itself", "",
        "without it"},
    Row{"enable-recompute enable-recomputation gradient-checkpointing grad-checkpointing "
        "activation-checkpointing checkpoint-activations use-checkpoint remat",
        "computes activations again instead of keeping them", "recompute",
        "--recompute blocks, or auto: what fits in the memory"},
    Row{"deterministic use-deterministic-algorithms cudnn-deterministic reproducible",
        "asks for the same result every time; Convoy's runs always give it, for one --seed", "",
        "without it"},
    Row{"pin-mem pin-memory non-blocking gpu-prefetch dali use-dali",
        "is about copies to a GPU, and Convoy computes on the CPU", "", "without it"},
    Row{"tb tensorboard-dir tb-dir log-tensorboard tensorboard-log-dir",
        "is about TensorBoard, for which each run writes event files to its folder tb",
        "tensorboard", "without it, or --no-tensorboard"},
    Row{"use-wandb log-wandb wandb-project report-to log-to-wandb mlflow",
        "sends metrics to a service; here each run writes metrics.jsonl, summary.csv and, with "
        "--wandb, a run for W&B to its folder",
        "wandb", "--wandb, then wandb sync"},
    Row{"verbose v debug", "asks for more output", "log-steps",
        "--log-steps 1 for a line in the log every step"},
    Row{"save-dir save-path save work-dir workdir exp-dir logdir results-dir out out-dir "
        "checkpoint-dir ckpt-dir model-dir default-root-dir project run-dir",
        "is the folder of the results", "output",
        "--output DIR for the folder of all runs, --name NAME for this one's"},
    Row{"max-epochs num-epochs n-epochs nepochs epoch num-train-epochs", "is the length", "epochs",
        "--epochs N"},
    Row{"max-iter max-iters num-steps num-iterations n-steps train-steps total-steps steps "
        "max-train-steps train-iters",
        "is the length in steps", "max-steps",
        "--max-steps N to stop there, or --iterations N for a schedule that ends there"},
    Row{"bs batch batchsize train-batch-size per-device-train-batch-size batch-size-per-gpu "
        "mini-batch-size samples-per-gpu",
        "is the batch", "batch-size", "--batch-size N for each replica, or --global-batch-size N"},
    Row{"val-batch-size validation-batch-size test-batch-size per-device-eval-batch-size vb",
        "is the batch of the evaluation", "eval-batch-size", "--eval-batch-size N"},
    Row{"img-size imgsz imgsize img input-size crop-size resolution size res image-dim input-shape",
        "is the size of the images", "image-size", "--image-size N"},
    Row{"resize resize-size crop-pct crop-percent test-resize",
        "is the size before the crop of the evaluation", "eval-resize",
        "--eval-resize N: pixels of the shorter side"},
    Row{"lr-policy lr-decay scheduler schedule lr-sched lr-scheduler-type decay-type",
        "is the learning rate over time", "lr-schedule",
        "--lr-schedule NAME; convoy list lr-schedules shows all"},
    Row{"step-size decay-epochs lr-steps lr-decay-epochs milestones lr-milestones steps-per-drop",
        "says when the learning rate drops", "lr-schedule",
        "--lr-schedule step --lr-step-size EPOCHS, or --lr-schedule piecewise "
        "--piecewise-epochs 30,60,80 --piecewise-factors 0.1,0.01,0.001"},
    Row{"gamma decay-rate lr-decay-factor lr-factor", "is the factor of each drop", "lr-schedule",
        "--lr-schedule step --learning-rate-decay 0.1"},
    Row{"warmup warmup-steps warmup-iters warmup-lr warmup-ratio warm-up num-warmup-steps",
        "is the warm-up of the learning rate", "warmup-epochs",
        "--warmup-epochs N, with --warmup-start SHARE for where it begins"},
    Row{"optim optimizer-name solver", "is the optimiser", "optimizer",
        "--optimizer NAME; convoy list optimizers shows all"},
    Row{"l2 decay weight-decay-rate l2-reg", "is the weight decay", "weight-decay",
        "--weight-decay 1e-4"},
    Row{"ema use-ema ema-rate", "keeps an average of the weights", "ema-decay",
        "--ema-decay 0.9999"},
    Row{"clip-grad grad-clip max-grad-norm gradient-clip-val clip-norm clip", "limits gradients",
        "clip-grad-norm", "--clip-grad-norm 1"},
    Row{"accumulate accum-iter accumulate-grad-batches gradient-accumulation-steps iter-size "
        "update-freq accumulation-steps grad-accumulation",
        "collects the gradients of several batches", "gradient-accumulation-count",
        "--gradient-accumulation-count N"},
    Row{"sync-batchnorm sync-batch-norm syncbn dist-bn",
        "shares batch-norm statistics between GPUs", "sync-bn", "--sync-bn, between replicas"},
    Row{"aa autoaugment randaugment rand-augment trivial-augment", "is an augmentation policy",
        "auto-augment", "--auto-augment ra"},
    Row{"reprob random-erasing erasing", "is the probability of erasing", "random-erase",
        "--random-erase 0.25"},
    Row{"mixup", "mixes images", "mixup-alpha", "--mixup-alpha 0.2"},
    Row{"cutmix", "mixes images", "cutmix-alpha", "--cutmix-alpha 1"},
    Row{"synthetic use-synthetic-data synthetic-data dummy fake-data use-fake-data",
        "trains on made-up images", "dataset", "--dataset generated"},
    Row{"gradient-checkpointing remat checkpoint-activations grad-checkpointing",
        "trades time for memory; Convoy has no such switch", "batch-size",
        "a smaller --batch-size with --gradient-accumulation-count N"},
    Row{"freeze-backbone freeze-bn linear-probe freeze-layers", "freezes layers", "freeze",
        "--freeze all-but-head, or the names of layers"},
    Row{"early-stop early-stopping", "ends the run early", "patience", "--patience N"},
    Row{"save-freq save-every save-interval save-steps checkpoint-freq ckpt-interval save-epochs",
        "says how often to save", "checkpoint-epochs",
        "--checkpoint-epochs N or --checkpoint-steps N"},
    Row{"img-path image input-image picture photo file files", "names pictures", "input",
        "--input FILE|FOLDER"},
    Row{"topk top-k", "is how many classes are told", "top", "--top N"},
};

bool has_name(std::string_view names, std::string_view wanted) {
  for (size_t at = names.find(wanted); at != names.npos; at = names.find(wanted, at + 1)) {
    const size_t end = at + wanted.size();
    const bool begins = at == 0 || names[at - 1] == ' ';
    if (begins && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::string advice_for_other_stacks(std::string_view name, const std::vector<Field>& declared) {
  const Row* meant = nullptr;
  for (const Row& row : rows) {
    const bool is_one_name = !name.empty() && name.find(' ') == name.npos;
    if (!is_one_name || !has_name(row.names, name)) continue;
    if (row.key.empty() || find_field(declared, row.key)) {
      return fmt::format(": in other programs it {}; try: {}", row.meaning, row.advice);
    }
    if (!meant) meant = &row;
  }
  if (!meant) return "";
  return fmt::format(": in other programs it {}; try: without it, or --help", meant->meaning);
}

}  // namespace convoy
