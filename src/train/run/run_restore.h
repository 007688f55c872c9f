// How a run goes on from what its folder holds.
#pragma once

#include "train/run/run_site.h"
#include "train/update/whole_slots.h"

namespace convoy {

// Brings back the newest sound checkpoint, cuts the logs to it, and tells of the resume. False:
// there is none. Nothing is changed before all of it has proved to fit: other options than the
// recorded ones, numbers that cannot be and pictures that are not those of the run are errors.
// `slots`: where the optimizer's buffers are whole.
bool restore_run(const RunSite& site, RunState& state, const WholeSlots& slots);

// The record of the pictures that the run trains with (train/run/data_record.h).
fs::path data_file(const RunDir& dir);

// For people, where the length of the run was changed when it went on; empty: it was not.
std::string length_from_here(const RunSite& site, const RunProgress& progress);

}  // namespace convoy
