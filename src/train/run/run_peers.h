// Agreements between the processes of a run. Collective except `tell_exchange` and
// `warn_of_uneven_split`: every rank calls them at the same place. With a single process they do
// nothing.
#pragma once

#include <atomic>
#include <string>

#include "train/run/run_site.h"
#include "train/update/whole_slots.h"

namespace convoy {

// Raises if the ranks would not train the same.
void compare_with_peers(const RunSite& site);
// Broadcasts what rank 0 has restored or initialised.
void share_start(const RunSite& site, RunState& state, WholeSlots& slots);
// The first signal that any rank received; 0: none.
int agree_on_signal(const RunSite& site, const std::atomic<int>& signal);
// The hash of the weights. Different weights on another rank are an internal error.
std::string agreed_hash(const RunSite& site);

void warn_of_uneven_split(const RunSite& site);
void tell_exchange(const RunSite& site);

}  // namespace convoy
