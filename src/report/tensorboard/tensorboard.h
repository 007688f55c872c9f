// Writes the events of a run for TensorBoard (docs/formats/tensorboard.md).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "report/tensorboard/event_file.h"
#include "train/event.h"

namespace convoy {

struct TensorboardSpec {
  fs::path folder;     // made with the first event
  std::string recipe;  // Markdown
  std::map<std::string, HyperParameter> hyper_parameters;
};

// Each process of a run writes a file of its own. Files of earlier processes must have been cut
// back to the checkpoint (`side_logs`), so that a resumed run is one line.
std::unique_ptr<Listener> tensorboard_listener(TensorboardSpec spec);

// "val/top1", "metrics/mAP50-95": where a metric of an evaluation is shown.
std::string evaluation_tag(std::string_view metric, bool ema);

}  // namespace convoy
