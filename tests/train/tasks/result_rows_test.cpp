// Rows of several runs and ranks, added in the order of samples whatever their lengths.

#include "train/tasks/result_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "support/session.h"
#include "support/thread_world.h"

namespace convoy::test {
namespace {

// Keeps every row as it came.
class AllRows final : public Results {
 public:
  std::vector<Metric> metrics() const override { return {main()}; }
  Metric main() const override { return {&loss_metric, mean_loss()}; }
  std::vector<std::vector<double>> rows;

 private:
  void add_rest(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void merge_rest(const Results&) override {}
  void clear_rest() override { rows.clear(); }
  void save_rest(SavedResults&) const override {}
  std::string restore_rest(const SavedResults&) override { return ""; }
};

// A sample's row: its loss is its number, then `lengths[number]` numbers.
class NumberTask final : public Task {
 public:
  explicit NumberTask(std::vector<size_t> lengths) : lengths_(std::move(lengths)) {}
  TaskGraph build(const TaskShape&) const override { return {}; }
  std::unique_ptr<Results> results() const override { return std::make_unique<AllRows>(); }
  void read(const Executor&, const Batch& batch, Rows& rows) const override {
    const auto* numbers = batch.data<int32_t>("number");
    for (int64_t i = 0; i < batch.valid; ++i) {
      const auto number = static_cast<size_t>(numbers[i]);
      std::vector<double> row(1 + lengths_.at(number), 0.5 + static_cast<double>(number));
      row[0] = static_cast<double>(number);
      rows.add(row);
    }
  }

 private:
  std::vector<size_t> lengths_;
};

// `ResultRows` passes the executor on; the task here does not use it.
struct AnyExecutor {
  Plan plan = [] {
    Graph graph;
    Builder b(graph);
    b.output("x", b.view(regions::params, 0));
    return test::plan(std::move(graph));
  }();
  State state{plan.state, 0, false};
  Workspace workspace{std::array{static_cast<const Plan*>(&plan)}, 1};
  Executor executor{plan, state, workspace, pool(1)};
};

struct NumberBatch : Batch {
  NumberBatch(int start, int count) : Batch({{"number", {{4}, DType::s32}}}) {
    for (int i = 0; i < 4; ++i) data<int32_t>("number")[i] = i < count ? start + i : -1;
    valid = count;
  }
};

std::vector<std::vector<double>> expected(const std::vector<size_t>& lengths) {
  std::vector<std::vector<double>> rows;
  for (size_t i = 0; i < lengths.size(); ++i) {
    rows.emplace_back(lengths[i], 0.5 + static_cast<double>(i));
  }
  return rows;
}

const std::vector<size_t> usual(12, 2), odd{0, 7, 1, 0, 30, 2, 2, 0, 0, 1, 5, 3};

TEST(ResultRows, PartsMayComeInAnyOrder) {
  for (const std::vector<size_t>& lengths : {usual, odd}) {
    const NumberTask task(lengths);
    const AnyExecutor any;
    ResultRows rows(3, 12, nullptr);
    AllRows results;
    for (int round = 0; round < 2; ++round) {  // `start` forgets the first round
      rows.start();
      results.clear();
      for (const int part : {2, 0, 1}) rows.add(task, any.executor, NumberBatch(4 * part, 4), part);
      EXPECT_EQ(rows.gather(round, results), round);
      EXPECT_EQ(results.samples(), 12);
      EXPECT_EQ(results.loss(), 66);
      EXPECT_EQ(results.rows, expected(lengths));
    }
  }
}

// Ranks with 8, 4 and no samples, on two hosts; rows of any length need a second message.
TEST(ResultRows, EveryRankGetsTheRowsOfAllInTheOrderOfSamples) {
  for (const std::vector<size_t>& lengths : {usual, odd}) {
    with_ranks({0, 0, 1}, [&](Transport& transport) {
      const NumberTask task(lengths);
      const AnyExecutor any;
      ResultRows rows(2, 8, &transport);
      AllRows results;
      rows.start();
      if (transport.rank() == 0) {
        rows.add(task, any.executor, NumberBatch(4, 4), 1);
        rows.add(task, any.executor, NumberBatch(0, 4), 0);
      } else if (transport.rank() == 1) {
        rows.add(task, any.executor, NumberBatch(8, 4), 0);
      }
      rows.gather(0, results);
      EXPECT_EQ(results.samples(), 12);
      EXPECT_EQ(results.loss(), 66);
      EXPECT_EQ(results.rows, expected(lengths));
    });
  }
}

TEST(ResultRows, TheFirstFlagByRankAndTheBadSamplesOfAllAreKnownToAll) {
  with_ranks({0, 0, 0}, [](Transport& transport) {
    const NumberTask task(usual);
    const AnyExecutor any;
    ResultRows rows(1, 4, &transport);
    AllRows results;
    const int rank = transport.rank();
    rows.start();
    NumberBatch batch(4 * rank, 3);
    if (rank != 1) batch.bad.push_back({4 * rank + 3, "file" + std::to_string(rank), "no end"});
    rows.add(task, any.executor, batch, 0);
    EXPECT_EQ(rows.gather(rank == 0 ? 0 : 10 + rank, results), 11);
    EXPECT_EQ(results.samples(), 9);
    ASSERT_EQ(rows.bad().size(), 2);
    EXPECT_EQ(rows.bad()[0].sample, 3);
    EXPECT_EQ(rows.bad()[1].sample, 11);
    EXPECT_EQ(rows.bad()[1].origin, "file2");
    EXPECT_EQ(rows.bad()[1].reason, "no end");
    rows.start();
    EXPECT_TRUE(rows.bad().empty());
  });
}

}  // namespace
}  // namespace convoy::test
