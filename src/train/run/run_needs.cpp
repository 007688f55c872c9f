#include "train/run/run_needs.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/process.h"
#include "base/text/text.h"
#include "graph/site.h"
#include "train/step/step_sums.h"
#include "train/update/whole_slots.h"

namespace convoy {
namespace {

constexpr int64_t mib = 1 << 20;

// Measured: oneDNN's generated code and our tables, per convolution primitive.
constexpr int64_t bytes_per_primitive = 48 << 10;

int64_t loader_bytes(const RunSetup& setup, int64_t batch) {
  int64_t bytes = 0;
  LoaderSpec loader = setup.loader(0, 0);
  loader.batch = batch;
  for (const auto& [name, type] : loader_tensors(loader, *setup.train_set)) {
    bytes += static_cast<int64_t>(stored_bytes(type));
  }
  return bytes * (loader.prefetch + 1);
}

int64_t primitives(const NetworkPlans& plans) {
  int64_t count = 0;
  for (const Plan* plan : plans.pointers()) {
    count += std::count_if(plan->ops.begin(), plan->ops.end(),
                           [](const PlanOp& op) { return !op.kernel->implementation().empty(); });
  }
  return count;
}

// The program with what it has loaded, data aside, and the code of its primitives.
int64_t library_bytes(const RunSetup& setup, const NetworkPlans& plans) {
  const int64_t program =
      resident_bytes() - setup.train_set->resident_bytes() - setup.eval_set->resident_bytes();
  return std::max<int64_t>(program, 0) + bytes_per_primitive * primitives(plans);
}

int64_t packed_bytes(const NetworkPlans& plans) {
  int64_t bytes = 0;
  for (const Plan* plan : plans.pointers()) bytes += static_cast<int64_t>(plan->packed_bytes);
  return bytes;
}

}  // namespace

MemoryNeeds inference_needs(const RunSetup& setup, const NetworkPlans& plans) {
  const StateLayout& state = plans.state();
  const auto workspace = Workspace::size(plans.pointers(), setup.config.thread_count());
  return {
      .state = 4 * (state.param_floats + state.stat_floats),
      .workspace = static_cast<int64_t>(workspace.bytes()) + packed_bytes(plans),
      .loader = setup.train_set->expected_bytes() + loader_bytes(setup, setup.shape.plan_batch()),
      .libraries = library_bytes(setup, plans)};
}

MemoryNeeds memory_needs(const RunSetup& setup, const NetworkPlans& plans) {
  MemoryNeeds needs;
  const StateLayout& state = plans.state();
  needs.state = static_cast<int64_t>(
      State::bytes(state, plans.slots(), plans.average(), plans.shares().slot_floats()));
  needs.workspace =
      static_cast<int64_t>(Workspace::size(plans.pointers(), setup.config.thread_count()).bytes());
  const StepShape& step = plans.step();
  needs.workspace += StepSums::bytes(step, state);
  if (step.lockstep()) {  // each replica has its own workspace, gradients and batch
    const Plan* const train[] = {plans.find("train")};
    const auto each = static_cast<int64_t>(
        Workspace::size(train, setup.config.thread_count()).bytes() + train[0]->packed_bytes);
    needs.workspace += (step.lanes() - 1) * (each + 4 * (state.param_floats + state.stat_floats));
    needs.workspace += step.lanes() * loader_bytes(setup, step.micro_batch) /
                       (setup.config.data.loader().prefetch + 1);
  }
  // Gradients of other ranks, in shared memory or in messages: one part to add up, and the results.
  if (plans.step().has_peers()) needs.workspace += 2 * 4 * state.param_floats;
  needs.workspace += WholeSlots::bytes(state, plans.slots(), plans.shares());
  needs.workspace += packed_bytes(plans);
  needs.loader = setup.train_set->expected_bytes() + setup.eval_set->expected_bytes();
  for (const NetworkPlans::Named& named : plans.all()) {
    // The training loader is idle while an evaluation uses its own.
    if (named.kind == "train" || named.kind == "eval") {
      needs.loader += loader_bytes(setup, named.batch);
    }
  }
  needs.libraries = library_bytes(setup, plans);
  return needs;
}

int64_t memory_limit(const RunConfig& config) {
  return config.memory.empty() ? memory_limit_bytes() / config.processes_here()
                               : parse_bytes(config.memory);
}

bool fits(const MemoryNeeds& needs, int64_t limit) {
  return needs.peak() + needs.peak() / 20 + 64 * mib <= limit;
}

int64_t largest_batch(const RunSetup& setup, int64_t limit) {
  const auto needs = [&](int64_t batch) {
    return memory_needs(setup, NetworkPlans(*setup.task, setup.network_spec(batch)));
  };
  // Searches between a batch that fits and one that does not, starting by linear interpolation.
  int64_t low = 1, high = setup.shape.micro_batch;
  MemoryNeeds at_low = needs(low);
  if (!fits(at_low, limit)) return 0;
  double above = static_cast<double>(memory_needs(setup).peak());
  while (high - low > 1) {
    const double share = (static_cast<double>(limit - at_low.peak())) /
                         std::max(above - static_cast<double>(at_low.peak()), 1.0);
    // The margin of `fits` is about 5 %, so the interpolation would miss by that.
    const auto step = static_cast<int64_t>(share * 0.95 * static_cast<double>(high - low));
    const int64_t middle = std::clamp(low + step, low + 1, high - 1);
    const MemoryNeeds found = needs(middle);
    if (fits(found, limit)) {
      low = middle;
      at_low = found;
    } else {
      high = middle;
      above = static_cast<double>(found.peak());
    }
  }
  return low;
}

DiskNeeds disk_needs(const RunSetup& setup, const fs::path& where) {
  const StateLayout& state = setup.plans.state();
  const int64_t copies = setup.plans.average() ? 2 : 1;
  DiskNeeds needs;
  needs.weights = (state.param_floats + state.stat_floats) * 4;
  needs.checkpoint = copies * needs.weights + setup.plans.slots() * state.param_floats * 4;
  // Checkpoints: the newest, the best, and the one being written. Weights: weights/best and
  // weights/last.
  const int64_t kept = std::min<int64_t>(setup.config.checkpoint_keep, setup.total_steps());
  needs.total = (kept + 2) * needs.checkpoint + 2 * needs.weights;
  fs::path there = fs::absolute(where);
  while (!fs::exists(there) && there.has_relative_path()) there = there.parent_path();
  std::error_code none;
  needs.free = static_cast<int64_t>(fs::space(there, none).available);
  return needs;
}

double estimated_step_seconds(const NetworkPlans& plans, const MachineSpeed& machine) {
  constexpr double arithmetic_share = 0.7;  // of the peak
  constexpr double traffic = 1.3;           // norms read their input twice
  double seconds = 0;
  for (const NetworkPlans::Named& named : plans.all()) {
    if (named.kind == "eval" || named.kind == "tail" || named.kind == "average") continue;
    double once = 0;
    for (const PlanOp& op : named.plan->ops) {
      const auto [flops, bytes] = cost_of(named.plan->graph, named.plan->graph.node(op.node));
      once += std::max(flops / (arithmetic_share * machine.flops), traffic * bytes / machine.bytes);
    }
    seconds += named.kind == "train" ? plans.step().micro_batches() * once : once;
  }
  return seconds;
}

Forecast forecast(const RunSetup& setup, const MemoryNeeds& memory, const fs::path& where,
                  const MachineSpeed& machine) {
  const DiskNeeds disk = disk_needs(setup, where);
  const double step = estimated_step_seconds(setup.plans, machine);
  return {.state_bytes = memory.state,
          .workspace_bytes = memory.workspace,
          .loader_bytes = memory.loader,
          .libraries_bytes = memory.libraries,
          .peak_bytes = memory.peak(),
          .limit_bytes = memory_limit(setup.config),
          .checkpoint_bytes = disk.checkpoint,
          .disk_bytes = disk.total,
          .disk_free_bytes = disk.free,
          .step_s = step,
          .epoch_s = step * setup.epochs.steps_per_epoch(),
          .total_s = step * static_cast<double>(setup.total_steps())};
}

namespace {

// How the run's batch norms change if micro-batches of `micro` images become `count` of `piece`
// images. Empty: they do not.
std::string changed_norms(const RunSetup& setup, int64_t piece, int64_t count) {
  if (setup.plans.state().stat_floats == 0) return "";
  const int64_t span = setup.shape.span, micro = setup.shape.micro_batch;
  std::string text = fmt::format("; what it changes: batch norm is over {} images instead of {}",
                                 span * piece, span * micro);
  if (setup.config.bn_update == BnUpdate::micro_batch) {
    text += fmt::format(", and running statistics move {} times a step instead of {}", count,
                        setup.shape.accumulation);
  }
  return text;
}

// Advice: the same step in smaller micro-batches, and what that changes.
std::string smaller_form(const RunSetup& setup, int64_t largest) {
  const int64_t micro = setup.shape.micro_batch;
  int64_t piece = std::min(largest, micro);
  while (micro % piece != 0) --piece;
  const int64_t count = setup.shape.accumulation * (micro / piece);
  std::string form = setup.config.global_batch_size ? "" : fmt::format("--batch-size {} ", piece);
  form += fmt::format("--gradient-accumulation-count {}, the same {} images a step", count,
                      setup.shape.global_batch());
  return form + changed_norms(setup, piece, count) +
         fmt::format(" (the largest --batch-size that fits is {})", largest);
}

// Whether the same run fits if its replicas run one after another.
bool fits_in_sequence(const RunSetup& setup, int64_t limit) {
  if (!setup.shape.together || setup.shape.local_replicas() == 1) return false;
  NetworkSpec spec = setup.network_spec(setup.shape.micro_batch);
  spec.step.together = false;
  return fits(memory_needs(setup, NetworkPlans(*setup.task, spec)), limit);
}

// The first of the modes that compute activations again, from the fastest, with which it fits.
std::optional<Recompute> fitting_mode(const RunSetup& setup, int64_t limit) {
  for (const Recompute mode : {Recompute::cheap, Recompute::blocks}) {
    if (mode <= setup.config.recompute) continue;
    const NetworkSpec spec = setup.network_spec(setup.shape.micro_batch, mode);
    if (fits(memory_needs(setup, NetworkPlans(*setup.task, spec)), limit)) return mode;
  }
  return std::nullopt;
}

std::string what_would_fit(const RunSetup& setup, int64_t largest, int64_t limit) {
  if (fits_in_sequence(setup, limit)) {
    return "try: --replica-mode sequence, which trains the same weights one replica at a time";
  }
  if (const auto mode = fitting_mode(setup, limit)) {
    return fmt::format(
        "try: --recompute {}, which trains the same weights and computes activations again "
        "instead of keeping them{}",
        word_of(*mode), largest ? ", or " + smaller_form(setup, largest) : "");
  }
  if (largest) return "try: " + smaller_form(setup, largest);
  if (setup.shape.lanes() > setup.shape.span) {
    return fmt::format(
        "no batch is small enough, because {} replicas that share batch norm in groups of {} are "
        "in memory at once; try: fewer --replicas, or several hosts (convoy launch -H), each of "
        "which holds its share of them",
        setup.shape.local_replicas(), setup.shape.span);
  }
  return "no batch is small enough; try: a smaller model or --image-size, or more memory";
}

}  // namespace

MemoryNeeds refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where) {
  const MemoryNeeds needs = memory_needs(setup);
  const int64_t limit = memory_limit(setup.config);
  refuse_what_cannot_fit(setup, where, needs,
                         fits(needs, limit) ? -1 : largest_batch(setup, limit));
  return needs;
}

void refuse_what_cannot_fit(const RunSetup& setup, const fs::path& where, const MemoryNeeds& needs,
                            int64_t largest) {
  const auto human = [](int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
  const int64_t limit = memory_limit(setup.config);
  if (!fits(needs, limit)) {
    raise(Fault::no_space, "{} with --batch-size {} needs {} of memory, and there are {}; {}",
          setup.config.model, setup.shape.micro_batch, human(needs.peak()), human(limit),
          what_would_fit(setup, largest, limit));
  }
  const DiskNeeds disk = disk_needs(setup, where);
  // Only require space for one checkpoint and the weights: a disk that fills up later loses
  // nothing.
  if (disk.checkpoint + disk.weights > disk.free) {
    raise(
        Fault::no_space,
        "a checkpoint needs {} of disk and the weights {}, and {} has {}; try: --output on another "
        "disk",
        human(disk.checkpoint), human(disk.weights), where.string(), human(disk.free));
  }
}

}  // namespace convoy
