// What an evaluation of a classifier gives, for tests of those who are told of it.
#pragma once

#include <vector>

#include "models/model.h"
#include "train/tasks/task.h"

namespace convoy::test {

// In the order of the task's definitions: loss, top-1, top-5.
inline std::vector<Metric> label_metrics(double loss, double top1, double top5, int64_t correct = 0,
                                         int64_t correct5 = 0) {
  const std::span<const MetricDef> defs = task_of(find_model("resnet18").family).metrics;
  return {{&defs[0], loss}, {&defs[1], top1, correct}, {&defs[2], top5, correct5}};
}

inline std::vector<MetricDef> label_metric_defs() {
  const std::span<const MetricDef> defs = task_of(find_model("resnet18").family).metrics;
  return {defs.begin(), defs.end()};
}

}  // namespace convoy::test
