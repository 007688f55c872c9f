#include "app/network/run_weights.h"

#include <algorithm>

#include "base/error.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/weights_metadata.h"
#include "train/run/run_dir.h"

namespace convoy {

std::vector<RunWeights> checkpoint_weights(const fs::path& run, WeightsKind kind) {
  const RunDir dir = RunDir::look(run);
  std::vector<int64_t> steps = CheckpointStore(run, 1).steps();
  if (steps.empty()) {
    raise(Fault::checkpoint, "{} has no checkpoint yet; try: convoy resume {}", run.string(),
          run.string());
  }
  std::ranges::sort(steps);
  std::vector<RunWeights> all;
  for (const int64_t step : steps) {
    const std::string name = "checkpoints/" + checkpoint_name(step);
    const fs::path file = dir.path() / name / fmt::format("{}.safetensors", word_of(kind));
    std::error_code ignored;
    if (kind == WeightsKind::ema && !fs::exists(file, ignored)) {
      raise(Fault::checkpoint,
            "{} has no ema.safetensors: the run kept no moving average; try: --weights model",
            (dir.path() / name).string());
    }
    all.push_back({name, file});
  }
  return all;
}

std::vector<RunWeights> further_weights(const fs::path& run) {
  std::vector<RunWeights> all;
  std::error_code code;
  for (fs::directory_iterator entry(RunDir::look(run).weights(), code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(".safetensors") || name.starts_with(".")) continue;
    if (name == "best.safetensors" || name == "last.safetensors") continue;  // copies
    all.push_back({"weights/" + name, entry->path()});
  }
  std::ranges::sort(all, {}, &RunWeights::name);
  return all;
}

bool is_averaged(const Metadata& about) { return about.contains(weights_key::average); }

}  // namespace convoy
