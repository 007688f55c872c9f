#include "base/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "support/raises.h"

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

TEST(ThreadPool, ManyShortJobsOnMoreThreadsThanCoresAreAllDone) {
  ThreadPool pool(4 * available_cores() + 1);
  int64_t total = 0;
  for (int job = 0; job < 3000; ++job) {
    std::atomic<int64_t> sum{0};
    pool.run(job % 7, [&](int task, int) { sum += task + 1; });
    total += sum;
    // Now and then all fall asleep, and must be woken.
    if (job % 300 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  int64_t expected = 0;
  for (int job = 0; job < 3000; ++job) expected += int64_t{job % 7} * (job % 7 + 1) / 2;
  EXPECT_EQ(total, expected);
}

TEST(ThreadPool, AThreadThatComesLateFindsNothingOfAJobThatIsOver) {
  ThreadPool pool(8);
  for (int job = 0; job < 2000; ++job) {
    // Gone when the job is: a straggler that still ran the body would be seen by ASan and TSan.
    const auto sum = std::make_unique<std::atomic<int>>(0);
    pool.run(2, [&sum = *sum](int, int) { ++sum; });
    EXPECT_EQ(*sum, 2);
  }
}

TEST(ThreadPool, RunsInEachThreadOnce) {
  for (const int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::thread::id> ids(static_cast<size_t>(threads));
      std::vector<std::atomic<int>> runs(static_cast<size_t>(threads));
      pool.run_in_each([&](int worker) {
        ids[static_cast<size_t>(worker)] = std::this_thread::get_id();
        ++runs[static_cast<size_t>(worker)];
      });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
      EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
      EXPECT_EQ(ids[0], std::this_thread::get_id());
      EXPECT_THROW(pool.run_in_each([](int worker) {
        if (worker == 0) throw std::runtime_error("the caller");
      }),
                   std::runtime_error);
    }
  }
}

TEST(ThreadPool, PinnedThreadsStayOnTheirCoreAndOthersDoNot) {
  const std::vector<int> allowed = allowed_cores();
  const auto threads = static_cast<int>(allowed.size());
  ThreadPool pool(threads, nullptr, cores_to_pin(threads));
  EXPECT_TRUE(pool.pinned());
  std::vector<std::vector<int>> seen(allowed.size());
  const auto look = [&](int worker) { seen[static_cast<size_t>(worker)] = allowed_cores(); };
  const auto of_a_new_thread = [] {
    std::vector<int> cores;
    std::thread([&] { cores = allowed_cores(); }).join();
    return cores;
  };
  {
    const ThreadPool::CallerOnItsCore on_its_core(pool);
    pool.run_in_each(look);
    for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::vector{allowed[i]});
  }
  // Between jobs of a kind the caller is free, and so is what it starts.
  EXPECT_EQ(allowed_cores(), allowed);
  EXPECT_EQ(of_a_new_thread(), allowed);
  pool.run_in_each(look);
  for (size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::vector{allowed[i]});
  EXPECT_EQ(allowed_cores(), allowed);
}

TEST(ThreadPool, IsPinnedOnlyWhereEveryCoreGetsOneThread) {
  const std::vector<int> allowed = allowed_cores();
  const auto cores = static_cast<int>(allowed.size());
  EXPECT_EQ(cores_to_pin(cores), allowed);
  for (const int threads : {cores - 1, cores + 1}) {
    test::expect_raises(Fault::usage, {"--pin", "--threads", "taskset"},
                        [&] { cores_to_pin(threads); });
  }
  std::thread([&] {  // a launcher's mask
    CoreSet({allowed.back()}).stay();
    EXPECT_EQ(available_cores(), 1);
    EXPECT_EQ(cores_to_pin(1), std::vector{allowed.back()});
  })
      .join();
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
