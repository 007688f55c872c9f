#include "app/bench/measure.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text/text.h"
#include "graph/site.h"
#include "train/bind_batch.h"
#include "train/run/run_needs.h"

namespace convoy {
namespace {

// An observed executor and the name of its plan.
struct Watched {
  std::string plan;
  Executor* executor;
  OpSeconds seconds;
};

NodeTime node_time(const Watched& watched, size_t at, int steps, const MachineSpeed& machine) {
  const Plan& plan = watched.executor->plan();
  const Node& node = plan.graph.node(plan.ops[at].node);
  const NodeCost cost = cost_of(plan.graph, node);
  NodeTime time{.plan = watched.plan,
                .op = std::string(node.op->name),
                .name = node.name,
                .shape = shape_text(plan.graph, node),
                .implementation = plan.ops[at].kernel->implementation(),
                .seconds = watched.seconds.seconds()[at]};
  time.flops = steps * cost.flops;
  time.bytes = steps * cost.bytes;
  const DType stored = node.in.empty() ? DType::f32 : plan.graph.type(node.in[0]).dtype;
  time.peak_seconds = time.flops / machine.peak(stored);
  return time;
}

// The plan of `predict` alone: no gradients, no optimizer.
NetworkPlans inference_plans(const RunSetup& setup) {
  NetworkSpec spec = setup.network_spec(setup.shape.micro_batch);
  spec.eval_batch = setup.shape.plan_batch();
  spec.optimizer = nullptr;
  spec.eval.folded = true;
  spec.watch.without = setup.config.without;
  return {*setup.task, spec};
}

// The expected peak memory, which must fit.
int64_t inference_bytes(const RunSetup& setup, const NetworkPlans& plans) {
  const MemoryNeeds needs = inference_needs(setup, plans);
  const int64_t limit = memory_limit(setup.config);
  if (!fits(needs, limit)) {
    raise(Fault::no_space,
          "{} with --batch-size {} needs {} of memory, and there are {}; try: a smaller one",
          setup.config.model, setup.shape.micro_batch,
          human_bytes(static_cast<double>(needs.peak())), human_bytes(static_cast<double>(limit)));
  }
  return needs.peak();
}

}  // namespace

double Measured::median_seconds() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

double Measured::best_seconds() const { return *std::min_element(seconds.begin(), seconds.end()); }

Measured measure(const RunSetup& setup, const MeasureOptions& options) {
  Measured measured;
  std::optional<NetworkPlans> inference;
  if (options.infer) inference.emplace(inference_plans(setup));
  const NetworkPlans& plans = inference ? *inference : setup.plans;
  measured.planned_bytes = inference
                               ? inference_bytes(setup, plans)
                               : refuse_what_cannot_fit(setup, fs::temp_directory_path()).peak();
  Network network(plans, setup.config.thread_count(), setup.config.cores());
  network.state().initialize(setup.config.seed);
  setup.config.precision.kept().round_first(network.state().layout(), network.state().params());
  RunProgress progress;
  progress.scaling.loss_scale = static_cast<double>(setup.config.loss_scaling.scale);
  measured.machine = measure_speed(network.pool());
  const int total = options.warmup + options.steps;
  std::vector<Watched> watched;
  if (options.infer) {
    watched = {{"inference", network.evaluation(), {}}};
  } else {
    watched = {{"train", network.gradients(), {}},
               {"statistics", network.statistics(), {}},
               {"update", network.update(), {}}};
  }
  Loader loader(*setup.train_set, setup.train_chain, setup.epochs, setup.loader(0, total));
  const int parts = setup.shape.micro_batches();
  measured.images = static_cast<double>(setup.shape.global_batch());
  measured.flops = watched[0].executor->plan().flops * (options.infer ? 1 : parts);
  double waited = 0;
  for (int step = 0; step < total; ++step) {
    if (step == options.warmup) {
      for (Watched& w : watched) w.executor->observe(&w.seconds);
      waited = loader.wait_seconds();
    }
    const double start = steady_seconds();
    if (options.infer) {
      bind(*watched[0].executor, loader.next());
      watched[0].executor->run(step ? Executor::Parameters::same : Executor::Parameters::changed);
    } else {
      progress.step = step;
      const Results& results = train_step(setup, network, step, setup.inputs(progress),
                                          [&]() -> const Batch& { return loader.next(); });
      setup.config.loss_scaling.judge(network.steps().outcome(), progress.scaling);
      measured.losses.push_back(results.mean_loss());
    }
    if (step >= options.warmup) measured.seconds.push_back(steady_seconds() - start);
    options.progress(step + 1, total);
  }
  measured.wait_seconds = loader.wait_seconds() - waited;
  measured.peak_rss_bytes = peak_rss_bytes();
  const MachineSpeed after = measure_speed(network.pool());
  measured.machine.flops = std::max(measured.machine.flops, after.flops);
  measured.machine.bytes = std::max(measured.machine.bytes, after.bytes);
  measured.machine.bf16_flops = std::max(measured.machine.bf16_flops, after.bf16_flops);
  for (const Watched& w : watched) {
    const int runs = options.steps * (w.plan == "train" ? parts : 1);
    for (size_t at = 0; at < w.seconds.seconds().size(); ++at) {
      measured.nodes.push_back(node_time(w, at, runs, measured.machine));
      measured.peak_seconds += measured.nodes.back().peak_seconds / options.steps;
    }
  }
  return measured;
}

}  // namespace convoy
