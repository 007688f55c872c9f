// A summary of traces for people, and as JSON.
#pragma once

#include <span>
#include <string>

#include "report/traces/trace_summary.h"

namespace convoy {

// For each rank where the time of a step goes, its slowest ops with the numbers of `bench ops`,
// what limits it and what to do about it. `top`: the number of ops of each rank; 0: all.
std::string trace_text(std::span<const TracedRank> ranks, int top);
// One JSON object, with the keys of `bench ops --json`.
std::string trace_json(std::span<const TracedRank> ranks, int top);

// One line: what limits the speed, and what to try.
std::string trace_advice(const TracedRank& rank);

}  // namespace convoy
