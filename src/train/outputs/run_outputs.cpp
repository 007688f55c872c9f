#include "train/outputs/run_outputs.h"

namespace convoy {

void RunOutputs::describe(Fields& field) {
  field("tensorboard", tensorboard,
        "write event files for TensorBoard to the folder tb of the run's folder: curves, pictures, "
        "hyper-parameters. Changes no result",
        any_value().no_result(), {"enable-tensorboard", "use-tensorboard"});
  field("plots", plots,
        "write a page and pictures of the results to the folder plots of the run's folder at its "
        "end, as convoy report does. Changes no result",
        any_value().no_result());
  field("histogram-epochs", histogram_epochs,
        "every N epochs, histograms of weights and gradients for TensorBoard; 0: none",
        at_least(0).no_result());
  field.needs("histogram-epochs", tensorboard, "--tensorboard", {"tensorboard"});
  if (!tensorboard) histogram_epochs = 0;
  field("wandb", wandb,
        "write a run for Weights & Biases to the folder wandb of the run's folder, which `wandb "
        "sync` sends later; nothing is sent from here. Changes no result",
        any_value().no_result(), {"log-wandb", "use-wandb"});
  field("wandb-project", wandb_project, "the project of that run", any_value().no_result());
  field.needs("wandb-project", wandb, "--wandb", {"wandb"});
  field("mllog", mllog,
        "write the lines of an MLPerf training log (rules 1.1.0) to mllog.txt of the run's folder; "
        "for resnet50 and ssd_resnet34",
        any_value().no_result(), {"mlperf-logging"});
  field("mllog-org", mllog_org, "submission_org in these lines", any_value().no_result());
  field("mllog-platform", mllog_platform, "submission_platform in them; empty: the host's name",
        any_value().no_result());
  field("mllog-division", mllog_division, "submission_division in them",
        one_of({"closed", "open"}).no_result());
  for (const char* key : {"mllog-org", "mllog-platform", "mllog-division"}) {
    field.needs(key, mllog, "--mllog", {"mllog"});
  }
}

}  // namespace convoy
