// Continues a run from the content of its folder.
#pragma once

#include <optional>
#include <string>

#include "train/checkpoint/start_weights.h"
#include "train/run/run_site.h"
#include "train/update/whole_slots.h"

namespace convoy {

// Restores the newest valid checkpoint, truncates the logs to it, and emits Resumed. False: there
// is none. Before anything is changed, all of it is checked: changed options, impossible numbers
// and other pictures are errors. `slots`: the complete optimizer buffers.
bool restore_run(const RunSite& site, RunState& state, const WholeSlots& slots);

// Restores the newest valid checkpoint of at most `step` steps, with the same checks, and changes
// no file. Its path; empty: there is none.
std::string restore_before(const RunSite& site, RunState& state, const WholeSlots& slots,
                           int64_t step);
// The state of a run before its first step.
std::optional<WeightReport> restore_start(const RunSite& site, RunState& state,
                                          const WholeSlots& slots);

// The record of the run's pictures (train/run/data_record.h).
fs::path data_file(const RunDir& dir);

// A text for people if the length of the run was changed by the resume; else empty.
std::string length_from_here(const RunSite& site, const RunProgress& progress);

}  // namespace convoy
