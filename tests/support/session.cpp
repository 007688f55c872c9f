#include "support/session.h"

#include <array>
#include <cstring>

#include "base/error.h"
#include "ops/vocabulary.h"
#include "tensor/onednn.h"

namespace convoy::test {
namespace {

constexpr int most_threads = 8;

std::span<float> find(const std::vector<StateLayout::Slot>& slots, std::span<float> region,
                      const std::string& name) {
  for (const StateLayout::Slot& slot : slots) {
    if (slot.name == name)
      return region.subspan(static_cast<size_t>(slot.offset), static_cast<size_t>(slot.count));
  }
  raise(Fault::bug, "the state has no '{}'", name);
}

void fill_with_nans(void* memory, size_t bytes) {
  if (bytes > 0) std::memset(memory, 0xff, bytes);
}

}  // namespace

ThreadPool& pool(int threads) {
  static std::array<std::unique_ptr<ThreadPool>, most_threads + 1> pools;
  std::unique_ptr<ThreadPool>& mine = pools.at(static_cast<size_t>(threads));
  if (!mine) mine = std::make_unique<ThreadPool>(threads, onednn::use_one_thread);
  return *mine;
}

Plan plan(Graph graph, std::vector<Loss> losses, Value loss_scale, std::vector<std::string> without,
          StorageRules storage) {
  CompileOptions options{.losses = std::move(losses), .loss_scale = loss_scale};
  options.vocabulary = ops::vocabulary();
  options.watch.without = std::move(without);
  options.storage = std::move(storage);
  return compile(std::move(graph), options);
}

Plan inference_plan(Graph graph, StorageRules storage) {
  CompileOptions options{.vocabulary = ops::vocabulary(), .inference = true};
  options.storage = std::move(storage);
  return compile(std::move(graph), options);
}

Session::Session(Plan compiled)
    : plan_(std::move(compiled)),
      state_(plan_.state, 0, false),
      workspace_(std::array{static_cast<const Plan*>(&plan_)}, most_threads) {
  state_.initialize(1);
}

std::span<float> Session::param(const std::string& name) {
  return find(plan_.state.params, state_.params(), name);
}
std::span<float> Session::grad(const std::string& name) {
  return find(plan_.state.params, state_.grads(), name);
}
std::span<float> Session::stat(const std::string& name) {
  return find(plan_.state.stats, state_.stats(), name);
}
std::span<float> Session::batch_stat(const std::string& name) {
  return find(plan_.state.stats, state_.batch_stats(), name);
}

void Session::poison() {
  fill_with_nans(workspace_.activations(), plan_.workspace_bytes);
  fill_with_nans(workspace_.scratch(), plan_.scratch_bytes);
  for (int worker = 0; worker < most_threads; ++worker) {
    fill_with_nans(workspace_.worker_scratch(worker), plan_.worker_scratch_bytes);
  }
  fill_with_nans(state_.grads().data(), state_.grads().size_bytes());
  fill_with_nans(state_.batch_stats().data(), state_.batch_stats().size_bytes());
}

void Session::run(int threads) {
  poison();
  executor_ = std::make_unique<Executor>(plan_, state_, workspace_, pool(threads));
  for (const auto& [name, data] : bindings_) executor_->bind(name, data);
  executor_->run();
}

std::vector<float> Session::output(const std::string& name) const {
  const float* data = executor_->output(name);
  return {data, data + executor_->output_type(name).shape.count()};
}

int count_ops(const Graph& graph, std::string_view op) {
  int count = 0;
  for (const int id : graph.order) count += graph.node(id).op->name == op;
  return count;
}

}  // namespace convoy::test
