// Compiles a model's graph into a plan: all passes, in order. compile/passes/ has a file for each
// kind of pass; `distribute` is a function of the caller. The graph is verified after every pass,
// which is timed; an optional one is skipped on `--without PASS`, and the graph is printed on
// `--dump PASS`.

#include "compile/compile.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/error.h"
#include "compile/passes/passes.h"
#include "graph/print.h"
#include "graph/verify.h"

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
  enum class Of { every_plan, training, inference } of;
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
    Pass{"fold_norms", optional, inference,
         [](Work& w) { fuse(w.graph, w.words().fusions, FusionRule::Stage::inference); }},
    Pass{"drop_dead_nodes", always, every_plan, [](Work& w) { drop_dead_nodes(w.graph); }},
    // After fusion, whose rules do not expect exchange nodes between two nodes.
    Pass{"distribute", always, every_plan,
         [](Work& w) {
           if (w.options.distribute) w.options.distribute(w.graph);
         }},

    // How. After fusion: a fused node has one form to choose. Casts keep the layout of their input,
    // so layouts are chosen last.
    Pass{"choose_storage", always, every_plan,
         [](Work& w) { choose_storage(w.graph, w.words(), w.options.storage); }},
    Pass{"choose_layouts", always, every_plan, [](Work& w) { choose_layouts(w.graph, w.words()); }},

    // What is kept. After layouts and storage are chosen, a node that is made again is the same
    // node: the same kernel, with the same results.
    Pass{"recompute", always, training, [](Work& w) { recompute(w.graph, w.options.recompute); }},

    // When, and in which memory. The order is final before memory is planned.
    Pass{"order_nodes", always, every_plan, [](Work& w) { order_nodes(w.graph); }},
    Pass{"plan_memory", always, every_plan,
         [](Work& w) {
           w.plan = plan_memory(w.graph, w.options.packs_once || w.options.inference);
         }},
};

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

}  // namespace

Plan compile(Graph graph, const CompileOptions& options) {
  verify(graph, "the model");
  expect(!options.inference || options.losses.empty(), "a plan for inference has no gradients");
  for (const Loss& loss : options.losses)
    expect(graph.is_result(loss.per_sample), "a loss is also an output, or it would be dropped");
  Work work{graph, options, {}};
  const PassWatch& watch = options.watch;
  for (const Pass& pass : passes) {
    const std::string name(pass.name);
    if (pass.of == training && options.losses.empty()) continue;
    if (pass.of == inference && !options.inference) continue;
    if (pass.kind == optional && contains(watch.without, name)) continue;
    const double start = steady_seconds();
    pass.run(work);
    verify(graph, name);
    if (watch.seconds) (*watch.seconds)[name] += steady_seconds() - start;
    if (watch.print && (contains(watch.dump, name) || contains(watch.dump, "all"))) {
      watch.print("after " + name, print(graph));
    }
  }
  work.plan.graph = std::move(graph);
  return std::move(work.plan);
}

std::vector<std::string> pass_names(bool optional_alone) {
  std::vector<std::string> names;
  for (const Pass& pass : passes) {
    if (pass.kind == optional || !optional_alone) names.emplace_back(pass.name);
  }
  return names;
}

}  // namespace convoy
