// Writes metrics as members of a JSON object, for a line of metrics.jsonl and for `eval --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "train/tasks/metric.h"

namespace convoy {

// JSON has no infinities and NaN: they become the strings "inf", "-inf" and "nan".
nlohmann::ordered_json json_number(double value);

// Adds the values by name, then the counts behind ratios, then `total`, the number of samples.
void add_metrics(nlohmann::ordered_json& object, std::span<const Metric> metrics, int64_t total);

}  // namespace convoy
