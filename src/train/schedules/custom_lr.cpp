// The rate table of Habana's torchvision recipe, made for ResNet-50 at a global batch of 2048. It
// contains absolute rates; the peak is only used for the first epoch.

#include <array>

#include "train/schedules/schedule.h"

namespace convoy {
namespace {

struct Row {
  double epoch;
  double rate;
};
constexpr std::array<Row, 7> table{
    {{1, 0.275}, {2, 0.45}, {3, 0.625}, {4, 0.8}, {30, 0.08}, {60, 0.008}, {80, 0.0008}}};

class CustomLr : public Schedule {
 public:
  double rate(double step, double peak, const ScheduleSite& road) const override {
    const double epoch = whole_steps(step / road.steps_per_epoch);
    double value = peak;
    for (const Row& row : table) {
      if (epoch >= row.epoch) value = row.rate;
    }
    return value;
  }
};

}  // namespace

ScheduleDef custom_lr_schedule() {
  return {
      .name = "custom_lr",
      .help =
          "ResNet-50's rates at a global batch of 2048, whatever the peak: --lr in the first "
          "epoch, 0.8 from the fifth, a tenth of it after 30, 60 and 80",
      .make = [](Fields&) -> std::unique_ptr<Schedule> { return std::make_unique<CustomLr>(); }};
}

}  // namespace convoy
