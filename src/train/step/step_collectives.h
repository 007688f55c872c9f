// Executes the collectives of a step's plans. In the gradient plan: a bucket of gradients that is
// complete, and the sums of a batch norm, which replicas in lockstep exchange. In the update plan:
// rows of values (such as one number per chunk of parameters), of which each process has computed
// some (`StepShape::shard`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dist/row_exchange.h"
#include "dist/span_exchange.h"
#include "engine/executor.h"
#include "train/step/network_plans.h"
#include "train/step/step_peers.h"

namespace convoy {

class StepCollectives final : public Collectives {
 public:
  // Keeps `peers`; null: a single process. All ranks must construct it at the same time.
  StepCollectives(const NetworkPlans& plans, StepPeers* peers);

  // Call before each run of the gradient plan.
  void start();
  // Sets the function that is called in the middle of a run when a bucket is complete. It must be
  // set if the plan has buckets.
  void when_complete(std::function<void(int bucket)> hook) { complete_ = std::move(hook); }

  void begin(const Collective& what, std::span<Executor* const> members, size_t op) override;
  void end(const Collective& what, std::span<Executor* const> members, size_t op) override;
  void progress() override;

 private:
  StepPeers* peers_;
  ReplicaSplit split_;
  std::optional<SpanExchange> spans_;
  std::vector<std::unique_ptr<RowExchange>> rows_;  // by number of the collective
  std::function<void(int bucket)> complete_;
  std::vector<const float*> given_;  // by member of the collective
  std::vector<float*> gathered_;
};

}  // namespace convoy
