// From a model's graph to a plan that can run: the whole road, in order. Each pass is one file in
// compile/passes/. `PassRunner` verifies the graph after every pass, times it, leaves it out on
// `--without PASS` where that is possible, and prints the graph on `--dump PASS`.

#include "compile/compile.h"

#include "base/error.h"
#include "compile/pass_runner.h"
#include "compile/passes/passes.h"

namespace convoy {

Plan compile(Graph graph, const CompileOptions& options) {
  const Vocabulary& words = options.vocabulary;
  PassRunner run(graph, options.watch);
  for (const Loss& loss : options.losses)
    expect(graph.is_result(loss.per_sample), "a loss is also an output, or it would be dropped");

  // What is computed. Fusion comes before the gradients: a fused node brings its own.
  run.optional("fuse_forward", [&] { fuse(graph, words.fusions, FusionRule::Stage::forward); });
  if (!options.losses.empty()) {
    run("add_gradients", [&] { add_gradients(graph, options.losses, options.loss_scale, words); });
    run.optional("fuse_gradients",
                 [&] { fuse(graph, words.fusions, FusionRule::Stage::gradients); });
  }
  run("drop_dead_nodes", [&] { drop_dead_nodes(graph); });
  // After fusion, which does not know what stands between two nodes then.
  run("distribute", [&] {
    if (options.distribute) options.distribute(graph);
  });

  // How. Layouts come after fusion: a fused node has one layout to choose.
  run("choose_layouts", [&] { choose_layouts(graph, words); });

  // When, and in which memory. The order is settled first; the planner only reads it.
  run("order_nodes", [&] { order_nodes(graph); });
  Plan plan;
  run("plan_memory", [&] { plan = plan_memory(graph, options.holds); });
  plan.graph = std::move(graph);
  return plan;
}

std::vector<std::string> pass_names() {
  return {"fuse_forward", "add_gradients",  "fuse_gradients", "drop_dead_nodes",
          "distribute",   "choose_layouts", "order_nodes",    "plan_memory"};
}

std::vector<std::string> optional_pass_names() { return {"fuse_forward", "fuse_gradients"}; }

}  // namespace convoy
