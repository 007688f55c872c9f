#include "train/schedules/schedule.h"

namespace convoy {
namespace {

class Constant : public Schedule {
 public:
  double rate(double, double peak, const ScheduleSite&) const override { return peak; }
};

}  // namespace

ScheduleDef constant_schedule() {
  return {
      .name = "constant",
      .help = "stays at the peak",
      .make = [](Fields&) -> std::unique_ptr<Schedule> { return std::make_unique<Constant>(); }};
}

}  // namespace convoy
