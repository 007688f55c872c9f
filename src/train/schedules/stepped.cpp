// Falls by a factor at given shares of the run (spec C.4.7): the k-th drop is in force once the
// step is greater than int(share_k * total).

#include <cmath>

#include "base/error.h"
#include "train/schedule.h"

namespace convoy {
namespace {

class Stepped : public Schedule {
 public:
  Stepped(double decay, std::vector<double> shares) : decay_(decay), shares_(std::move(shares)) {}
  double factor(double step, const ScheduleSite& site) const override {
    double value = 1;
    for (const double share : shares_) {
      if (step > std::floor(share * site.total_steps)) value *= decay_;
    }
    return value;
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
            double decay = 0.1;
            std::vector<double> shares{0.5, 0.75};
            field("learning-rate-decay", decay, "what each drop multiplies the rate by",
                  between(0, 1), {"lr-gamma"});
            field("learning-rate-schedule", shares, "shares of the run after which it drops",
                  between(0, 1));
            return std::make_unique<Stepped>(decay, shares);
          }};
}

}  // namespace convoy
