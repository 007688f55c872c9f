// Multiplies the rate by a factor every few epochs (PyTorch's StepLR).

#include <cmath>

#include "train/schedules/schedule.h"
#include "train/schedules/schedule_parts.h"

namespace convoy {
namespace {

class Step : public Schedule {
 public:
  Step(double decay, double epochs) : decay_(decay), epochs_(epochs) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    return peak * std::pow(decay_, whole_steps(step / road.steps_per_epoch / epochs_));
  }

 private:
  double decay_;
  double epochs_;
};

}  // namespace

ScheduleDef step_schedule() {
  return {.name = "step",
          .help = "falls by a factor every --lr-step-size epochs",
          .epoch_name = "steplr",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            const double decay = describe_drop(field);
            double epochs = 30;
            field("lr-step-size", epochs, "epochs from one drop to the next", at_least(0.001));
            return std::make_unique<Step>(decay, epochs);
          }};
}

}  // namespace convoy
