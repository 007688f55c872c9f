#include "report/metrics_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace convoy {

nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

void add_metrics(nlohmann::ordered_json& object, std::span<const Metric> metrics, int64_t total) {
  for (const Metric& metric : metrics) {
    object[std::string(metric.def->name)] = json_number(metric.value);
  }
  for (const Metric& metric : metrics) {
    if (metric.hits >= 0) object[std::string(metric.def->hits)] = metric.hits;
  }
  object["total"] = total;
}

}  // namespace convoy
