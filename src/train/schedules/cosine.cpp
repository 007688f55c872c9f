// Half a cosine from the peak to `min-lr-ratio` of it (Loshchilov 2016).

#include <algorithm>
#include <cmath>

#include "train/schedule.h"

namespace convoy {
namespace {

class Cosine : public Schedule {
 public:
  explicit Cosine(double end) : end_(end) {}
  double factor(double step, const ScheduleSite& site) const override {
    const double done = std::min(step / site.total_steps, 1.0);
    return end_ + (1 - end_) * 0.5 * (1 + std::cos(3.14159265358979323846 * done));
  }

 private:
  double end_;
};

}  // namespace

ScheduleDef cosine_schedule() {
  return {.name = "cosine",
          .help = "half a cosine down to the end",
          .make = [](Fields& field) -> std::unique_ptr<Schedule> {
            double end = 0;
            field("min-lr-ratio", end, "share of the peak that is left at the end", between(0, 1));
            return std::make_unique<Cosine>(end);
          }};
}

}  // namespace convoy
