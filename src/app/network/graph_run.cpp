#include "app/network/graph_run.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "ops/loss/softmax.h"
#include "ops/vocabulary.h"
#include "tensor/onednn.h"

namespace convoy {
namespace {

Plan planned(Graph graph) {
  graph.choices.winograd = Winograd::off;
  CompileOptions options;
  options.vocabulary = ops::vocabulary();
  return compile(std::move(graph), options);
}

void fill(const std::vector<StateLayout::Slot>& slots, std::span<float> region,
          const GraphRun::Weights& weights) {
  for (const StateLayout::Slot& slot : slots) {
    const std::span<const float> values = weights(slot.name);
    expect(static_cast<int64_t>(values.size()) == slot.count, "weights fit their shape");
    std::copy(values.begin(), values.end(), region.begin() + slot.offset);
  }
}

}  // namespace

void add_probabilities(Graph& graph) {
  Builder b(graph, false);
  for (const NamedValue& output : graph.outputs) {
    if (output.name == "logits") return b.output("probabilities", ops::softmax(b, output.value));
  }
}

GraphRun::GraphRun(Graph graph, const Weights& weights, int threads)
    : plan_(planned(std::move(graph))),
      pool_(threads, onednn::use_one_thread),
      state_(plan_.state, 0, false),
      workspace_(std::array{static_cast<const Plan*>(&plan_)}, threads),
      executor_(std::make_unique<Executor>(plan_, state_, workspace_, pool_)) {
  fill(plan_.state.params, state_.params(), weights);
  fill(plan_.state.stats, state_.stats(), weights);
}

void GraphRun::run(const float* data) {
  for (const NamedValue& input : plan_.graph.inputs) executor_->bind(input.name, data);
  executor_->run();
}

std::span<const float> GraphRun::output(const std::string& name) const {
  return {executor_->output(name), static_cast<size_t>(executor_->output_type(name).shape.count())};
}

}  // namespace convoy
