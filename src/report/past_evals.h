// The evaluations of a run before this process, so that a resumed run reports the best result of
// the whole run.
#pragma once

#include <optional>
#include <string_view>

#include "train/event.h"

namespace convoy {

struct PastEvals {
  std::optional<EvalDone> last, best;  // by the main metric

  void add(const EvalDone& eval);
};

// Reads them from the text of a metrics.jsonl; lines that are not evaluations are skipped. Only the
// main metric of `defs` is read; `defs` must outlive the result.
PastEvals past_evals(std::string_view metrics, std::span<const MetricDef> defs);

}  // namespace convoy
