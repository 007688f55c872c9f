#include "train/due.h"

#include <algorithm>
#include <cmath>

namespace convoy {

bool crosses(const EpochPlan& plan, int64_t step, double every, double first) {
  if (every <= 0) return false;
  const auto periods = [&](int64_t at) {
    const double epochs = plan.epochs_after(at);
    if (first <= 0) return std::floor(epochs / every + 1e-9);
    return std::max(std::floor((epochs - first) / every + 1e-9), -1.0);
  };
  return periods(step) > periods(step - 1);
}

Due due_after(const RunConfig& config, const EpochPlan& epochs, int64_t step, int64_t last_step) {
  const bool last = step == last_step;
  const bool by_steps = config.checkpoint_steps && step % config.checkpoint_steps == 0;
  return {.evaluation = config.eval_epochs > 0 &&
                        (last || crosses(epochs, step, config.eval_epochs, config.eval_offset)),
          .epoch_end = last || crosses(epochs, step, 1),
          .checkpoint = last || by_steps ||
                        crosses(epochs, step, config.checkpoint_epochs, config.checkpoint_offset),
          .checkpoint_if_best = config.checkpoint_steps > 0 || config.checkpoint_epochs > 0};
}

}  // namespace convoy
