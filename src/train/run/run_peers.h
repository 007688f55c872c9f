// What a run agrees upon with its other processes. Collective, but for `tell_exchange` and
// `warn_of_uneven_split`: every rank calls these at the same place. Without other processes they
// do nothing.
#pragma once

#include <atomic>
#include <string>

#include "train/run/run_site.h"
#include "train/update/whole_slots.h"

namespace convoy {

// Raises unless all ranks would train the same.
void compare_with_peers(const RunSite& site);
// What rank 0 has brought back, or made, for all ranks.
void share_start(const RunSite& site, RunState& state, WholeSlots& slots);
// The first signal that a rank has had; 0: none.
int agree_on_signal(const RunSite& site, const std::atomic<int>& signal);
// The hash of the weights; other weights on another rank are an internal error.
std::string agreed_hash(const RunSite& site);

void warn_of_uneven_split(const RunSite& site);
void tell_exchange(const RunSite& site);

}  // namespace convoy
