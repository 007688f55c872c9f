// A schedule is one file in schedules/: a pure function from the step to a factor. The warm-up in
// front is common to all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// The road a schedule covers. With a warm-up that is not part of it, the road begins after it.
struct ScheduleSite {
  double total_steps = 1;
  double steps_per_epoch = 1;
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  // What the peak is multiplied by at `step`, 0 <= step <= total_steps.
  virtual double factor(double step, const ScheduleSite& site) const = 0;
};

struct ScheduleDef {
  std::string_view name;
  std::string_view help;
  std::unique_ptr<Schedule> (*make)(Fields& field);
};

const std::vector<ScheduleDef>& schedule_catalog();
const ScheduleDef& find_schedule(std::string_view name);

// The learning rate of a run: peak * warm-up * schedule.
struct LearningRate {
  double lr = 0.1;  // the peak
  std::string lr_schedule = "cosine";
  double warmup_epochs = 0;
  double warmup_start = 0;
  std::string warmup_kind = "shift";

  LearningRate();
  ~LearningRate();
  LearningRate(LearningRate&&) noexcept;
  LearningRate& operator=(LearningRate&&) noexcept;

  // Declares its options and those of the chosen schedule.
  void describe(Fields& field);

  // The rate of the update that follows `step` updates.
  double at(int64_t step, const ScheduleSite& run) const;

 private:
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace convoy
