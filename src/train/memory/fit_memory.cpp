#include "train/memory/fit_memory.h"

#include <algorithm>

#include "train/run/run_needs.h"

namespace convoy {
namespace {

// The peak that `fits` accepts.
int64_t most_peak(int64_t limit) {
  int64_t low = 0, high = limit;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (fits({.workspace = middle}, limit) ? low : high) = middle;
  }
  return low;
}

int64_t bytes_over(const RunSetup& setup, const NetworkPlans& plans, int64_t most) {
  return memory_needs(setup, plans).peak() - most;
}

// The limit of the activations with which the run fits; `off` if it does so anyway.
RecomputeRule fitting_rule(const RunSetup& setup, NetworkSpec spec, int64_t most) {
  constexpr int most_attempts = 6;
  spec.recompute = {.mode = Recompute::off};
  int64_t target = 0, workspace = 0;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const NetworkPlans plans(*setup.task, spec);
    const int64_t over = bytes_over(setup, plans, most) / spec.step.lanes();
    if (over <= 0) break;
    // The choice is made by an estimate of the bytes: what is over comes off the target.
    const auto got = static_cast<int64_t>(plans.find("train")->workspace_bytes);
    if (got == workspace) break;  // it does not become less
    const int64_t less = over + over / 16 + 1;
    target = attempt == 0 ? got - less : target - std::max(less, target / 64);
    workspace = got;
    spec.recompute = {.mode = Recompute::automatic, .most_bytes = std::max<int64_t>(target, 0)};
  }
  return spec.recompute;
}

}  // namespace

NetworkSpec fit_memory(const RunSetup& setup, NetworkSpec spec) {
  if (!spec.optimizer) return spec;
  const RunConfig& config = setup.config;
  const int64_t most = most_peak(memory_limit(config));
  const bool may_part = config.replica_mode == ReplicaMode::automatic && spec.step.together &&
                        spec.step.local_replicas() > 1;
  // With `automatic`, a spec without a limit asks for the least memory.
  if (may_part && bytes_over(setup, NetworkPlans(*setup.task, spec), most) > 0) {
    spec.step.together = false;
  }
  if (config.recompute == Recompute::automatic) spec.recompute = fitting_rule(setup, spec, most);
  return spec;
}

}  // namespace convoy
