// Writes a run for Weights & Biases that `wandb sync` sends later (docs/formats/wandb.md). Nothing
// here uses a network.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/files/file.h"
#include "train/event.h"

namespace convoy {

struct WandbSpec {
  fs::path folder;  // the sessions of the run are folders in it
  std::string project, name;
  // Every option, as JSON text.
  std::map<std::string, std::string> config;
  // Files to copy into each session, by their path.
  std::vector<fs::path> files;
};

// Each process of a run writes a session of its own, all with one id. Files of earlier processes
// must have been cut back to the checkpoint (`side_logs`).
std::unique_ptr<Listener> wandb_listener(WandbSpec spec);

}  // namespace convoy
