// Numbers that results are judged by. What a metric is stands in its task as a constant
// (MetricDef); what it came to is a Metric. Reports show any list of them and name none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

struct MetricDef {
  std::string_view name;       // its key in files: "top1"
  std::string_view title;      // on the screen: "top-1"
  std::string_view log_title;  // in log.txt, as timm words it: "Acc@1"
  bool higher_is_better = true;
  std::string_view unit = "";  // "%": a share of the samples in percent
  std::string_view hits = "";  // of a share: the key of the count behind it, "correct"
  bool is_main = false;        // one of a task's: it decides which weights are best by default
};

struct Metric {
  const MetricDef* def = nullptr;  // of a task, which lives as long as the program
  double value = 0;
  int64_t hits = -1;  // of a share: the samples that are right

  bool is_better_than(const Metric& other) const {
    return def->higher_is_better ? value > other.value : value < other.value;
  }
};

// The mean loss of samples: a metric of any task that has a loss.
inline constexpr MetricDef loss_metric{"loss", "loss", "Loss", false};

// Null: there is none.
const Metric* find_metric(std::span<const Metric> metrics, std::string_view name);
// Null: there are none; without a main one it is the first.
const Metric* main_metric(std::span<const Metric> metrics);

// The value as people read it: "91.20%", "0.1234".
std::string shown_value(const Metric& metric);
// "(9120/10000)", where it counts samples; else empty.
std::string shown_hits(const Metric& metric, int64_t samples);
// Title and value: "top-1 91.20% (9120/10000)".
std::string shown_metric(const Metric& metric, int64_t samples);

}  // namespace convoy
