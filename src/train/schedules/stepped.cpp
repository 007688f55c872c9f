// Multiplies the rate by a factor at given shares of the run: drop k takes effect when step >
// int(share_k * total).

#include <cmath>

#include "train/schedules/schedule.h"
#include "train/schedules/schedule_parts.h"

namespace convoy {
namespace {

class Stepped : public Schedule {
 public:
  Stepped(double decay, std::vector<double> shares) : decay_(decay), shares_(std::move(shares)) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    double factor = 1;
    for (const double share : shares_) {
      if (step > std::floor(share * road.total_steps)) factor *= decay_;
    }
    return peak * factor;
  }

 private:
  double decay_;
  std::vector<double> shares_;
};

}  // namespace

ScheduleDef stepped_schedule() {
  return {.name = "stepped",
          .help = "falls by a factor at given shares of the run",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            const double decay = describe_drop(field);
            std::vector<double> shares{0.5, 0.75};
            field("learning-rate-schedule", shares, "shares of the run after which it drops",
                  between(0, 1));
            return std::make_unique<Stepped>(decay, shares);
          }};
}

}  // namespace convoy
