// Metrics of results. A task defines each metric as a constant (MetricDef); a Metric is a value of
// it. Reports show any list of metrics without knowing their names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

struct MetricDef {
  std::string_view name;       // key in files: "top1"
  std::string_view title;      // on the screen: "top-1"
  std::string_view log_title;  // in log.txt, as timm writes it: "Acc@1"
  bool higher_is_better = true;
  std::string_view unit = "";  // "%": a share of the samples in percent
  std::string_view hits = "";  // for shares: key of the count, "correct"
  bool is_main = false;        // the task's metric that decides which weights are best by default
  bool in_training = true;     // known of training too, not only of evaluations
};

struct Metric {
  const MetricDef* def = nullptr;  // a constant of the task
  double value = 0;
  int64_t hits = -1;  // for shares: the number of correct samples

  bool is_better_than(const Metric& other) const {
    return def->higher_is_better ? value > other.value : value < other.value;
  }
};

// The mean loss over samples: a metric of any task with a loss.
inline constexpr MetricDef loss_metric{"loss", "loss", "Loss", false};

// Null if absent.
const Metric* find_metric(std::span<const Metric> metrics, std::string_view name);
// The main metric, or the first one if none is main; null if there are no metrics.
const Metric* main_metric(std::span<const Metric> metrics);

// The value for people: "91.20%", "0.1234".
std::string shown_value(const Metric& metric);
// "(9120/10000)" for a metric that counts samples; else empty.
std::string shown_hits(const Metric& metric, int64_t samples);
// Title and value: "top-1 91.20% (9120/10000)".
std::string shown_metric(const Metric& metric, int64_t samples);

}  // namespace convoy
