// `convoy train`: starts a new run.

#include "app/command.h"
#include "app/train/start_run.h"

namespace convoy {
namespace {

int run(const CommandLine& typed) { return start_run(typed, {}); }

}  // namespace

CommandDef train_command() {
  return {
      .name = "train",
      .summary = "train a model: a new run",
      .usage = "train [--config NAME|FILE.yml] [options]",
      .details = R"(Without model, dataset and recipe it runs the demonstration: a small ResNet on
Fashion-MNIST, a few minutes on two cores. A run lives in its own folder,
runs/NAME, and can be killed and resumed at any time.

  convoy train                                             the demonstration
  convoy train --config cifar10/resnet20 --data-dir DIR    a recipe
  convoy train --model cifar_resnet56 --dataset cifar-10 --data-dir DIR --epochs 160
  convoy train --dataset generated --max-steps 20          no data needed
)",
      .basics =
          "config model data-dir dataset epochs batch-size replicas lr lr-schedule "
          "warmup-epochs optimizer momentum weight-decay label-smoothing init-from "
          "image-size seed threads output name",
      .describe = describe_start,
      .shared = true,
      .run = run};
}

}  // namespace convoy
