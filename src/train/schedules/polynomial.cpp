// Falls as a power of the remaining share of the run (as in MLPerf's LARS recipes).

#include <algorithm>
#include <cmath>

#include "train/schedules/schedule.h"
#include "train/schedules/schedule_parts.h"

namespace convoy {
namespace {

class Polynomial : public Schedule {
 public:
  Polynomial(double power, double extra_steps, const FinalRate& end)
      : power_(power), extra_steps_(extra_steps), end_(end) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    const double length = road.total_steps + extra_steps_;
    const double end = end_.of(peak);
    return (peak - end) * std::pow(1 - std::min(step / length, 1.0), power_) + end;
  }

 private:
  double power_;
  double extra_steps_;
  FinalRate end_;
};

}  // namespace

ScheduleDef polynomial_schedule() {
  return {
      .name = "polynomial",
      .help = "falls to the end as a power of what is left of the run, by default its square",
      .alias = "polynomial_decay_lr",
      .make = [](Fields& field) -> std::unique_ptr<Schedule> {
        double power = 2, extra_steps = 0;
        field("poly-lr-decay-power", power, "1: a straight line; 2: steep first, then flat",
              between(0.01, 100));
        field("poly-lr-extra-steps", extra_steps,
              "the schedule ends this many steps after the run, so that the last step still has a "
              "rate above the end (Keras' LARS recipes: 1); epochs with --lr-per epoch",
              at_least(0));
        FinalRate end;
        end.describe(field);
        return std::make_unique<Polynomial>(power, extra_steps, end);
      }};
}

}  // namespace convoy
