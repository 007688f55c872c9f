#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "base/error.h"

namespace convoy {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8, 33}) {  // more than there are cores, too
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const int tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(tasks));
      pool.run(tasks, [&](int task, int worker) {
        EXPECT_GE(worker, 0);
        EXPECT_LT(worker, threads);
        ++runs[static_cast<size_t>(task)];
      });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, AWorkerNumberIsNeverUsedByTwoThreadsAtOnce) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  pool.run(2000, [&](int, int worker) {
    EXPECT_EQ(++inside[static_cast<size_t>(worker)], 1);
    --inside[static_cast<size_t>(worker)];
  });
}

TEST(ThreadPool, ManyShortJobsInARowAreAllDone) {
  ThreadPool pool(3);
  int64_t total = 0;
  for (int job = 0; job < 5000; ++job) {
    std::atomic<int64_t> sum{0};
    pool.run(job % 5, [&](int task, int) { sum += task + 1; });
    total += sum;
  }
  EXPECT_EQ(total, 5000 / 5 * (0 + 1 + 3 + 6 + 10));
}

TEST(ThreadPool, ThrowsTheFirstExceptionAgainAndGoesOn) {
  for (const int threads : {1, 2, 8}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      EXPECT_THROW(pool.run(100,
                            [](int task, int) {
                              if (task == 13) throw std::runtime_error("thirteen");
                            }),
                   std::runtime_error);
      std::atomic<int> done{0};
      pool.run(10, [&](int, int) { ++done; });
      EXPECT_EQ(done, 10);
    }
  }
}

TEST(ThreadPool, EveryTaskMayThrow) {
  ThreadPool pool(4);
  EXPECT_THROW(pool.run(1000, [](int, int) { throw std::runtime_error("all"); }),
               std::runtime_error);
}

TEST(ThreadPool, RefusesAJobFromInsideAJob) {
  for (const int threads : {1, 4}) {
    ThreadPool pool(threads);
    EXPECT_THROW(pool.run(4, [&](int, int) { pool.run(2, [](int, int) {}); }), Error);
    std::atomic<int> done{0};
    pool.run(10, [&](int, int) { ++done; });
    EXPECT_EQ(done, 10);
  }
}

std::atomic<int> started{0};

TEST(ThreadPool, CallsOnStartOnceInEachThread) {
  started = 0;
  {
    ThreadPool pool(5, [] { ++started; });
  }
  EXPECT_EQ(started, 5);
}

TEST(ThreadPool, SubnormalsAreZeroInEveryThread) {
  ThreadPool pool(4);
  std::atomic<int> flushed{0};
  pool.run(64, [&](int, int) {
    const volatile float tiny = std::numeric_limits<float>::min();
    const volatile float half = tiny * 0.5f;
    flushed += half == 0;
  });
  EXPECT_EQ(flushed, 64);
}

TEST(ThreadPool, ThereIsAtLeastOneCore) { EXPECT_GE(available_cores(), 1); }

}  // namespace
}  // namespace convoy
