// A schedule with an option of its own: the rate falls to zero and begins again, some times.
#include <cmath>

#include "train/schedules/schedule.h"

namespace convoy {
namespace {

class Sawtooth final : public Schedule {
 public:
  explicit Sawtooth(int teeth) : teeth_(teeth) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    const double passed = step * teeth_ / road.total_steps;
    return peak * (1 - (passed - std::floor(passed)));
  }

 private:
  double teeth_;
};

}  // namespace

ScheduleDef sawtooth_schedule() {
  return {.name = "sawtooth",
          .help = "falls to zero --saw-teeth times",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            int teeth = 2;
            field("saw-teeth", teeth, "times that the rate falls to zero", at_least(1));
            return std::make_unique<Sawtooth>(teeth);
          }};
}

}  // namespace convoy
