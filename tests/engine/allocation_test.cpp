// After the first step nothing of ours allocates, and what oneDNN allocates inside does not grow.

#include <gtest/gtest.h>

#include <array>

#include "engine/executor.h"
#include "support/allocations.h"
#include "support/batch.h"
#include "support/session.h"
#include "support/small_net.h"

namespace convoy::test {
namespace {

void expect_quiet(const Plan& made, bool train, const SmallBatch& batch, int threads) {
  State state(made.state, 0, false);
  state.initialize(1);
  const Workspace workspace(std::array{&made}, threads);
  Executor executor(made, state, workspace, pool(threads));
  batch.bind_to(executor, train);
  executor.run();
  const AllocationCounter counter;
  executor.run();
  const Allocations second = counter.so_far();
  executor.run();
  const Allocations third = counter.so_far();
  executor.run();
  const Allocations fourth = counter.so_far();
  EXPECT_EQ(fourth.ours, 0) << threads << " threads";
  EXPECT_EQ(third.onednn - second.onednn, fourth.onednn - third.onednn);
}

TEST(Allocation, AStepAfterTheFirstAllocatesNothing) {
  for (const int threads : {1, 2, 8}) {
    Graph train_graph, eval_graph;
    Builder b(train_graph), e(eval_graph, false);
    const SmallNet net = small_net(b, 33, 16);
    const Plan train = plan(std::move(train_graph), {{net.loss}}, net.loss_scale);
    small_net(e, 10, 16);
    const Plan eval = plan(std::move(eval_graph));
    expect_quiet(train, true, SmallBatch(0, 33, 16), threads);
    expect_quiet(eval, false, SmallBatch(0, 10, 16), threads);
  }
}

TEST(Allocation, TheCounterCounts) {
  const AllocationCounter counter;
  const auto something = std::make_unique<std::vector<float>>(100);
  EXPECT_GE(counter.so_far().ours, 2);
  EXPECT_EQ(something->size(), 100u);
}

}  // namespace
}  // namespace convoy::test
