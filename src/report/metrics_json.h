// Metrics as members of a JSON object: those of a line of metrics.jsonl and of `eval --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "train/tasks/metric.h"

namespace convoy {

// Infinities and NaN, which JSON has not, are the strings "inf", "-inf" and "nan".
nlohmann::ordered_json json_number(double value);

// The values by their names, then the counts behind shares, then `total`, the samples.
void add_metrics(nlohmann::ordered_json& object, std::span<const Metric> metrics, int64_t total);

}  // namespace convoy
