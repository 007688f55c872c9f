#include "train/tasks/metric.h"

#include <fmt/format.h>

namespace convoy {

const Metric* find_metric(std::span<const Metric> metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.def->name == name) return &metric;
  }
  return nullptr;
}

const Metric* main_metric(std::span<const Metric> metrics) {
  for (const Metric& metric : metrics) {
    if (metric.def->is_main) return &metric;
  }
  return metrics.empty() ? nullptr : &metrics.front();
}

std::string shown_value(const Metric& metric) {
  return metric.def->unit == "%" ? fmt::format("{:.2f}%", metric.value)
                                 : fmt::format("{:.4f}{}", metric.value, metric.def->unit);
}

std::string shown_hits(const Metric& metric, int64_t samples) {
  return metric.hits < 0 ? "" : fmt::format("({}/{})", metric.hits, samples);
}

std::string shown_metric(const Metric& metric, int64_t samples) {
  const std::string hits = shown_hits(metric, samples);
  return fmt::format("{} {}{}{}", metric.def->title, shown_value(metric), hits.empty() ? "" : " ",
                     hits);
}

}  // namespace convoy
