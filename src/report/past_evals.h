// Evaluations of a run, those before this process too: what a resumed run says about its best is
// the whole run's.
#pragma once

#include <optional>
#include <string_view>

#include "train/event.h"

namespace convoy {

struct PastEvals {
  std::optional<EvalDone> last, best;  // by the main metric

  void add(const EvalDone& eval);
};

// Those that the text of a metrics.jsonl tells; a line that is none is passed over. Of the run's
// metrics `defs`, which must outlive it, only the main one is read.
PastEvals past_evals(std::string_view metrics, std::span<const MetricDef> defs);

}  // namespace convoy
