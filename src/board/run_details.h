// One run in detail, as JSON for the board: options, environment, processes, plan, pictures, and
// the time that each rank spent on what.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/runs/find_runs.h"

namespace convoy {

nlohmann::ordered_json run_details(const FoundRun& run);

// The names of the pictures in plots/, in the order of a report: files that end with .png, .jpg or
// .jpeg.
std::vector<std::string> picture_names(const fs::path& run);

// The seconds in each part of the steps, of each rank that wrote a trace (--trace-steps): {"0":
// {"step": 1.5, "data wait": 0.1, "forward": 0.5, …}}. Empty: there are no traces.
nlohmann::ordered_json rank_seconds(const fs::path& run);

}  // namespace convoy
