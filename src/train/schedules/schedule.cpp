#include "train/schedules/schedule.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const ScheduleDef& def : schedule_catalog()) names.emplace_back(def.name);
  for (const ScheduleDef& def : schedule_catalog()) {
    for (const std::string_view other : {def.epoch_name, def.alias}) {
      if (!other.empty()) names.emplace_back(other);
    }
  }
  return names;
}

// The option with its origin, for messages: `lr "0.1" (configs/x.yml:3)`.
std::string told(const Fields& field, std::string_view key) {
  const Setting& value = find_field(field.all(), key)->value;
  return std::string(key) + " \"" + value.text + "\" (" + value.where() + ")";
}

void refuse_two_peaks(const Fields& field, std::string_view one, std::string_view other) {
  raise(Fault::usage, "{} and {} both say what the peak is; try: only one of them",
        told(field, one), told(field, other));
}

}  // namespace

bool ScheduleDef::has_name(std::string_view word) const {
  return !word.empty() && (word == name || word == epoch_name || word == alias);
}

const ScheduleDef& find_schedule(std::string_view name) {
  for (const ScheduleDef& def : schedule_catalog()) {
    if (def.has_name(name)) return def;
  }
  raise(Fault::usage, "unknown lr-schedule '{}'; there are: {}", name,
        join(schedule_names(), ", "));
}

LearningRate::LearningRate() = default;
LearningRate::~LearningRate() = default;
LearningRate::LearningRate(LearningRate&&) noexcept = default;
LearningRate& LearningRate::operator=(LearningRate&&) noexcept = default;

void LearningRate::describe(Fields& field) {
  field.section("Learning rate");
  describe_peak(field);
  field("lr-schedule", lr_schedule_,
        "how it falls from the peak; `convoy list lr-schedules` explains them",
        one_of(schedule_names()), {"sched", "lr-scheduler"});
  field.chooses("lr-schedule");
  field(
      "lr-per", lr_per_,
      "whether it changes with every step, or once an epoch as in torchvision; auto: once an "
      "epoch when the schedule has torchvision's name (steplr, cosineannealinglr, exponentiallr)");
  describe_warmup(field);
  const ScheduleDef& def = find_schedule(lr_schedule_);
  field.section_with("--lr-schedule " + std::string(def.name));
  schedule_ = def.make(field);
}

void LearningRate::describe_peak(Fields& field) {
  field.displace("lr", {"base-lr", "lr-batch", "base-learning-rate-exponent"});
  field.displace("base-lr", {"lr", "base-learning-rate-exponent"});
  field.displace("base-learning-rate-exponent", {"lr", "base-lr", "lr-batch"});
  field("lr", lr_, "peak learning rate, whatever the batch", at_least(0),
        {"learning-rate", "abs-learning-rate", "start-learning-rate"});
  field("base-lr", base_lr_,
        "instead of --lr: the peak at a global batch of --lr-batch; it grows with the batch. "
        "0: not used",
        at_least(0), {"base-learning-rate"});
  field("lr-batch", lr_batch_,
        "the global batch for which --base-lr is meant: 256 in most ResNet recipes, 32 in SSD's",
        at_least(1));
  field("base-learning-rate-exponent", exponent_,
        "instead of --lr: the peak is 2^N x the global batch. 0: not used", between(-100, 0));
  if (base_lr_ > 0 && field.given("lr")) refuse_two_peaks(field, "lr", "base-lr");
  if (exponent_ < 0 && field.given("lr"))
    refuse_two_peaks(field, "lr", "base-learning-rate-exponent");
  if (exponent_ < 0 && base_lr_ > 0)
    refuse_two_peaks(field, "base-lr", "base-learning-rate-exponent");
  if (base_lr_ > 0 && lr_batch_ == 0) {
    raise(Fault::usage,
          "{} needs --lr-batch, the global batch for which it is meant; try: --lr-batch 256 as in "
          "most ResNet recipes, 32 as in SSD's, or --lr {} for a peak that does not grow",
          told(field, "base-lr"), base_lr_);
  }
  if (lr_batch_ > 0 && base_lr_ == 0) {
    raise(Fault::usage, "{} means nothing without --base-lr; try: --base-lr 0.1",
          told(field, "lr-batch"));
  }
}

void LearningRate::describe_warmup(Fields& field) {
  if (find_schedule(lr_schedule_).epoch_name == lr_schedule_) {  // torchvision's defaults
    warmup_start_ = 0.01;
    warmup_method_ = WarmupMethod::constant;
  }
  field("warmup-epochs", warmup_epochs_,
        "epochs in which the rate rises to its peak; in steps, a fraction is cut off", at_least(0),
        {"lr-warmup-epochs", "lr-warmup-epoch"});
  field("warmup-start", warmup_start_,
        "share of the peak at which the warm-up begins; 0.01 when the schedule has torchvision's "
        "name",
        between(0, 1), {"lr-warmup-decay"});
  field("warmup-method", warmup_method_,
        "linear: it rises from --warmup-start to the peak; constant: it stays at --warmup-start, "
        "which is what a schedule of torchvision's name does by default",
        {}, {"lr-warmup-method"});
  field("warmup-kind", warmup_kind_,
        "shift: the schedule starts after the warm-up; multiply: it runs from the first step, and "
        "its rate is multiplied by the warm-up's share; replace: it runs from the first step, and "
        "counts only after the warm-up");
  for (const char* key : {"warmup-start", "warmup-method", "warmup-kind"}) {
    if (warmup_epochs_ > 0 || !field.idle(key, {"warmup-epochs"})) continue;
    raise(Fault::usage, "{} means nothing without a warm-up; try: --warmup-epochs 5",
          told(field, key));
  }
  if (warmup_method_ == WarmupMethod::constant && warmup_start_ == 0) {
    raise(Fault::usage,
          "{} at --warmup-start 0 would not learn before the warm-up ends; try: --warmup-start "
          "0.01",
          told(field, "warmup-method"));
  }
  if (changes_by_epoch() && warmup_epochs_ != std::floor(warmup_epochs_)) {
    raise(Fault::usage,
          "{} is no whole number, but the rate changes once an epoch; try: {}, or --lr-per step",
          told(field, "warmup-epochs"), std::ceil(warmup_epochs_));
  }
}

bool LearningRate::changes_by_epoch() const {
  if (lr_per_ != RatePer::automatic) return lr_per_ == RatePer::epoch;
  return find_schedule(lr_schedule_).epoch_name == lr_schedule_;
}

double LearningRate::peak(int64_t global_batch) const {
  const auto batch = static_cast<double>(global_batch);
  if (base_lr_ > 0) return base_lr_ * batch / lr_batch_;
  return exponent_ < 0 ? std::exp2(exponent_) * batch : lr_;
}

// When the rate changes once per epoch, the same schedule is evaluated with epochs as steps.
double LearningRate::at(int64_t step, const ScheduleSite& run) const {
  const auto t = static_cast<double>(step);
  if (changes_by_epoch()) {
    return rate(whole_steps(t / run.steps_per_epoch), warmup_epochs_,
                {run.total_steps / run.steps_per_epoch, 1, run.global_batch});
  }
  return rate(t, whole_steps(warmup_epochs_ * run.steps_per_epoch),
              {std::max(whole_steps(run.total_steps), 1.0), run.steps_per_epoch, run.global_batch});
}

double LearningRate::rate(double step, double warmup, const ScheduleSite& road) const {
  const double top = peak(road.global_batch);
  const double end = warmup;  // a shorter run sees only the beginning of the warm-up
  const bool rises = warmup_method_ == WarmupMethod::linear && end > 0;
  const double gain = rises ? (1 - warmup_start_) * step / end : 0;
  if (warmup_kind_ == WarmupKind::multiply) {
    const double main = schedule_->rate(step, top, road);
    return step < end ? main * (warmup_start_ + gain) : main;
  }
  if (step < end) return top * (warmup_start_ + gain);
  if (warmup_kind_ == WarmupKind::replace) return schedule_->rate(step, top, road);
  return schedule_->rate(
      step - end, top,
      {std::max(road.total_steps - end, 1.0), road.steps_per_epoch, road.global_batch});
}

}  // namespace convoy
