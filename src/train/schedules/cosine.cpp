// Half a cosine from the peak to the final rate (Loshchilov 2016).

#include <algorithm>
#include <cmath>

#include "train/schedules/schedule.h"
#include "train/schedules/schedule_parts.h"

namespace convoy {
namespace {

class Cosine : public Schedule {
 public:
  explicit Cosine(const FinalRate& end) : end_(end) {}
  double rate(double step, double peak, const ScheduleSite& road) const override {
    const double done = std::min(step / road.total_steps, 1.0);
    const double end = end_.of(peak);
    return end + (peak - end) * 0.5 * (1 + std::cos(3.14159265358979323846 * done));
  }

 private:
  FinalRate end_;
};

}  // namespace

ScheduleDef cosine_schedule() {
  return {.name = "cosine",
          .help = "half a cosine down to the end",
          .epoch_name = "cosineannealinglr",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            FinalRate end;
            end.describe(field);
            return std::make_unique<Cosine>(end);
          }};
}

}  // namespace convoy
