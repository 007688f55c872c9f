// Evaluations of a run before this process: what a resumed run says about its best is the whole
// run's.
#pragma once

#include <optional>
#include <string_view>

#include "train/event.h"

namespace convoy {

struct PastEvals {
  std::optional<EvalDone> last, best;  // by top-1

  void add(const EvalDone& eval);
};

// Those that a metrics.jsonl tells; a line that is none is passed over.
PastEvals past_evals(std::string_view metrics);

}  // namespace convoy
