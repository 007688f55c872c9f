#include "train/schedule.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace convoy {

const ScheduleDef& find_schedule(std::string_view name) {
  std::vector<std::string> names;
  for (const ScheduleDef& def : schedule_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  raise(Fault::usage, "unknown lr-schedule '{}'; there are: {}", name, join(names, ", "));
}

LearningRate::LearningRate() = default;
LearningRate::~LearningRate() = default;
LearningRate::LearningRate(LearningRate&&) noexcept = default;
LearningRate& LearningRate::operator=(LearningRate&&) noexcept = default;

void LearningRate::describe(Fields& field) {
  std::vector<std::string> names;
  for (const ScheduleDef& def : schedule_catalog()) names.emplace_back(def.name);
  field("lr", lr, "peak learning rate", at_least(0), {"learning-rate", "abs-learning-rate"});
  field("lr-schedule", lr_schedule, "how it falls from the peak", one_of(names),
        {"sched", "lr-scheduler"});
  field("warmup-epochs", warmup_epochs, "epochs in which it rises to the peak first", at_least(0),
        {"lr-warmup-epochs"});
  field("warmup-start", warmup_start, "share of the peak at which the rise begins", between(0, 1),
        {"lr-warmup-decay"});
  field("warmup-kind", warmup_kind,
        "shift: the schedule starts after the rise; multiply: it runs from the first step and the "
        "rise is multiplied onto it; replace: it runs from the first step, unseen until the rise "
        "has ended",
        one_of({"shift", "multiply", "replace"}));
  schedule_ = find_schedule(lr_schedule).make(field);
}

double LearningRate::at(int64_t step, const ScheduleSite& run) const {
  const auto t = static_cast<double>(step);
  const double warmup = std::min(warmup_epochs * run.steps_per_epoch, run.total_steps);
  const double rise = t < warmup ? warmup_start + (1 - warmup_start) * t / warmup : 1;
  if (warmup_kind == "multiply") return lr * rise * schedule_->factor(t, run);
  if (t < warmup) return lr * rise;
  if (warmup_kind == "replace") return lr * schedule_->factor(t, run);
  return lr * schedule_->factor(t - warmup,
                                {std::max(run.total_steps - warmup, 1.0), run.steps_per_epoch});
}

}  // namespace convoy
