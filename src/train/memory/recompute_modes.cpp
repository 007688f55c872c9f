#include "train/memory/recompute_modes.h"

namespace convoy {
namespace {

ModeNeeds needs_of(const RunSetup& setup, const NetworkPlans& plans, Recompute mode,
                   const MachineSpeed& machine) {
  const Plan& train = *plans.find("train");
  const MemoryNeeds memory = memory_needs(setup, plans);
  return {.mode = mode,
          .activations = static_cast<int64_t>(train.workspace_bytes),
          .least = static_cast<int64_t>(train.least_bytes),
          .peak = memory.peak(),
          .again = train.flops_again / (train.flops - train.flops_again),
          .step_s = estimated_step_seconds(plans, machine),
          .fits = fits(memory, memory_limit(setup.config))};
}

}  // namespace

ModeNeeds mode_needs(const RunSetup& setup, const MachineSpeed& machine) {
  return needs_of(setup, setup.plans, setup.config.recompute, machine);
}

std::vector<ModeNeeds> recompute_modes(const RunSetup& setup, const MachineSpeed& machine) {
  std::vector<ModeNeeds> all;
  for (const Recompute mode : {Recompute::off, Recompute::cheap, Recompute::blocks}) {
    const NetworkSpec spec = setup.network_spec(setup.shape.micro_batch, mode);
    all.push_back(needs_of(setup, NetworkPlans(*setup.task, spec), mode, machine));
  }
  return all;
}

}  // namespace convoy
