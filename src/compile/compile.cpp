// Compiles a model's graph into a plan: all passes, in order. compile/passes/ has a file for each
// kind of pass; `distribute` is a function of the caller. `PassRunner` verifies the graph after
// every pass, times it, skips an optional one on `--without PASS`, and prints the graph on `--dump
// PASS`.

#include "compile/compile.h"

#include <array>

#include "base/error.h"
#include "compile/pass_runner.h"
#include "compile/passes/passes.h"

namespace convoy {
namespace {

// The data of the passes.
struct Work {
  Graph& graph;
  const CompileOptions& options;
  Plan plan;

  const Vocabulary& words() const { return options.vocabulary; }
};

struct Pass {
  std::string_view name;
  enum class Kind { always, optional } kind;  // optional: without it the plan is correct but slower
  enum class Of { every_plan, training } of;
  void (*run)(Work&);
};

using enum Pass::Kind;
using enum Pass::Of;

constexpr std::array passes{
    // What is computed. Fusion comes before the gradients: a fused node has its own gradient.
    Pass{"fuse_forward", optional, every_plan,
         [](Work& w) { fuse(w.graph, w.words().fusions, FusionRule::Stage::forward); }},
    Pass{
        "add_gradients", always, training,
        [](Work& w) { add_gradients(w.graph, w.options.losses, w.options.loss_scale, w.words()); }},
    Pass{"fuse_gradients", optional, training,
         [](Work& w) { fuse(w.graph, w.words().fusions, FusionRule::Stage::gradients); }},
    Pass{"drop_dead_nodes", always, every_plan, [](Work& w) { drop_dead_nodes(w.graph); }},
    // After fusion, whose rules do not expect exchange nodes between two nodes.
    Pass{"distribute", always, every_plan,
         [](Work& w) {
           if (w.options.distribute) w.options.distribute(w.graph);
         }},

    // How. After fusion: a fused node has one form to choose. Casts keep the layout of their input,
    // so layouts are chosen last.
    Pass{"choose_storage", always, every_plan,
         [](Work& w) { choose_storage(w.graph, w.words(), w.options.in_bf16); }},
    Pass{"choose_layouts", always, every_plan, [](Work& w) { choose_layouts(w.graph, w.words()); }},

    // When, and in which memory. The order is final before memory is planned.
    Pass{"order_nodes", always, every_plan, [](Work& w) { order_nodes(w.graph); }},
    Pass{"plan_memory", always, every_plan,
         [](Work& w) { w.plan = plan_memory(w.graph, w.options.packs_once); }},
};

}  // namespace

Plan compile(Graph graph, const CompileOptions& options) {
  PassRunner run(graph, options.watch);
  for (const Loss& loss : options.losses)
    expect(graph.is_result(loss.per_sample), "a loss is also an output, or it would be dropped");
  Work work{graph, options, {}};
  for (const Pass& pass : passes) {
    if (pass.of == training && options.losses.empty()) continue;
    const std::string name(pass.name);
    const auto make = [&] { pass.run(work); };
    pass.kind == optional ? run.optional(name, make) : run(name, make);
  }
  work.plan.graph = std::move(graph);
  return std::move(work.plan);
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : passes) names.emplace_back(pass.name);
  return names;
}

std::vector<std::string> optional_pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : passes) {
    if (pass.kind == optional) names.emplace_back(pass.name);
  }
  return names;
}

}  // namespace convoy
