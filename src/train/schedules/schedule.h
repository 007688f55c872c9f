// The learning rate of a run. A schedule is one file in schedules/ that defines how the rate falls
// from its peak. The peak, its scaling with the batch, and the warm-up are common to all schedules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "data/loading/epoch_plan.h"

namespace convoy {

// The run that a learning rate is computed for. Made by `RunConfig::schedule_site`.
struct ScheduleSite {
  double total_steps = 1;  // of the requested epochs; truncated to whole steps
  double steps_per_epoch = 1;
  int64_t global_batch = 1;
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  // The rate at `step` of a schedule of road.total_steps that starts at `peak`; step >= 0, and
  // total_steps >= 1 unless steps are epochs. If the warm-up precedes the schedule, `road` begins
  // after it.
  virtual double rate(double step, double peak, const ScheduleSite& road) const = 0;
};

struct ScheduleDef {
  std::string_view name;
  std::string_view help;
  std::string_view epoch_name = {};  // torchvision's, with one rate per epoch
  std::string_view alias = {};
  std::unique_ptr<Schedule> (*make)(Fields& field);

  bool has_name(std::string_view word) const;
};

const std::vector<ScheduleDef>& schedule_catalog();
// By any of its names.
const ScheduleDef& find_schedule(std::string_view name);

enum class RatePer { automatic, step, epoch };
constexpr auto words_of(RatePer) { return words<RatePer>("auto", "step", "epoch"); }
enum class WarmupMethod { linear, constant };
constexpr auto words_of(WarmupMethod) { return words<WarmupMethod>("linear", "constant"); }
enum class WarmupKind { shift, multiply, replace };
constexpr auto words_of(WarmupKind) { return words<WarmupKind>("shift", "multiply", "replace"); }

// The options of the learning rate, and the rate that they give.
class LearningRate {
 public:
  LearningRate();
  ~LearningRate();
  LearningRate(LearningRate&&) noexcept;
  LearningRate& operator=(LearningRate&&) noexcept;

  // The default peak; call it before `describe`.
  void suggest(double peak) { lr_ = peak; }

  // Declares its options and those of the chosen schedule, each in a section of its own. Refuses
  // two peaks, and options without effect.
  void describe(Fields& field);

  // The highest rate of a typical schedule: as given, or scaled with the batch.
  double peak(int64_t global_batch) const;

  // The rate of the update that follows `step` updates.
  double at(int64_t step, const ScheduleSite& run) const;

  double warmup_epochs() const { return warmup_epochs_; }

 private:
  void describe_peak(Fields& field);
  void describe_warmup(Fields& field);
  bool changes_by_epoch() const;
  double rate(double step, double warmup, const ScheduleSite& road) const;

  double lr_ = 0.1;
  double base_lr_ = 0, lr_batch_ = 0;
  double exponent_ = 0;
  std::string lr_schedule_ = "cosine";
  RatePer lr_per_ = RatePer::automatic;
  double warmup_epochs_ = 0;
  double warmup_start_ = 0;
  WarmupMethod warmup_method_ = WarmupMethod::linear;
  WarmupKind warmup_kind_ = WarmupKind::shift;
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace convoy
