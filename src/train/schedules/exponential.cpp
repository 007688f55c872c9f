// Multiplies the rate by a factor after every epoch (PyTorch's ExponentialLR), or a given number of
// times in the run: EfficientNet has 146 drops by 0.97 in 350 epochs, one every 2.4 epochs.

#include <cmath>

#include "train/schedules/schedule.h"
#include "train/schedules/schedule_parts.h"

namespace convoy {
namespace {

class Exponential : public Schedule {
 public:
  Exponential(double decay, double drops) : decay_(decay), drops_(drops) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    const double passed =
        drops_ > 0 ? step * drops_ / road.total_steps : step / road.steps_per_epoch;
    return peak * std::pow(decay_, whole_steps(passed));
  }

 private:
  double decay_;
  double drops_;
};

}  // namespace

ScheduleDef exponential_schedule() {
  return {.name = "exponential",
          .help = "falls by a factor with every epoch, or --lr-drops times in the run",
          .epoch_name = "exponentiallr",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            const double decay = describe_drop(field);
            int drops = 0;
            field("lr-drops", drops,
                  "drops in the run, evenly spaced (EfficientNet: 146 by 0.97); 0: one an epoch",
                  at_least(0));
            return std::make_unique<Exponential>(decay, drops);
          }};
}

}  // namespace convoy
