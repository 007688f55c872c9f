// The learning rate of a run. A schedule is one file in schedules/: how the rate falls from its
// peak. The peak, its scaling with the batch, and the warm-up in front are common to all.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"
#include "config/fields.h"
#include "data/loading/epoch_plan.h"

namespace convoy {

// The run a learning rate is for. `RunConfig::schedule_site` makes it.
struct ScheduleSite {
  double total_steps = 1;  // that the epochs asked for have; a fraction is cut off
  double steps_per_epoch = 1;
  int64_t global_batch = 1;
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  // The rate at `step` of a road that starts at `peak`, 0 <= step, and 1 <= road.total_steps unless
  // steps are epochs. With a warm-up that comes before the schedule, the road begins after it.
  virtual double rate(double step, double peak, const ScheduleSite& road) const = 0;
};

struct ScheduleDef {
  std::string_view name;
  std::string_view help;
  std::string_view epoch_name = {};  // torchvision's, which changes the rate once an epoch
  std::string_view alias = {};
  std::unique_ptr<Schedule> (*make)(Fields& field);

  bool has_name(std::string_view word) const;
};

const std::vector<ScheduleDef>& schedule_catalog();
// By any of its names.
const ScheduleDef& find_schedule(std::string_view name);

enum class RatePer { automatic, step, epoch };
constexpr std::array<Word<RatePer>, 3> words_of(RatePer) {
  return {{{"auto", RatePer::automatic}, {"step", RatePer::step}, {"epoch", RatePer::epoch}}};
}
enum class WarmupMethod { linear, constant };
constexpr std::array<Word<WarmupMethod>, 2> words_of(WarmupMethod) {
  return {{{"linear", WarmupMethod::linear}, {"constant", WarmupMethod::constant}}};
}
enum class WarmupKind { shift, multiply, replace };
constexpr std::array<Word<WarmupKind>, 3> words_of(WarmupKind) {
  return {{{"shift", WarmupKind::shift},
           {"multiply", WarmupKind::multiply},
           {"replace", WarmupKind::replace}}};
}

// Options of a rate, and the rate they make.
class LearningRate {
 public:
  LearningRate();
  ~LearningRate();
  LearningRate(LearningRate&&) noexcept;
  LearningRate& operator=(LearningRate&&) noexcept;

  // The peak where nothing says another; before `describe`.
  void suggest(double peak) { lr_ = peak; }

  // Declares its options and those of the chosen schedule, each in a section of its own. Refuses
  // two peaks, and options that would do nothing.
  void describe(Fields& field);

  // The largest rate of a usual schedule: as given, or scaled with the batch.
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
