// Options for the files that a run writes for other programs, besides its logs. None of them
// changes a result, and no failure to write one ends a run.
#pragma once

#include <string>

#include "config/fields.h"

namespace convoy {

struct RunOutputs {
  bool tensorboard = true;
  bool plots = true;
  double histogram_epochs = 0;  // 0: no histograms
  bool wandb = false;
  std::string wandb_project = "convoy";
  bool mllog = false;
  std::string mllog_org = "none", mllog_platform, mllog_division = "closed";

  void describe(Fields& field);
  // Whether some listener shows pictures.
  bool shows_pictures() const { return tensorboard || wandb || plots; }
};

}  // namespace convoy
