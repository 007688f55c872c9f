// The one pool that runs every kernel. Which thread runs which task is left to chance; kernels are
// cut into tasks by shape alone, so that no result depends on it.
//
// A job is over when its tasks are done, not when every thread has seen it: one that gets no core
// in time (more threads than cores, another program) holds up nobody. Who waits spins for some
// microseconds, then sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/threads/cores.h"

namespace convoy {

class ThreadPool {
 public:
  // `threads` counts the caller, which works too. `on_start` runs once in each thread. `cores`: the
  // one on which each thread stays, by worker; empty: wherever the system puts it.
  explicit ThreadPool(int threads, void (*on_start)() = nullptr,
                      const std::vector<int>& cores = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  bool pinned() const { return !cores_.empty(); }

  // Calls body(task, worker) for every task in [0, tasks), worker in [0, size()), and returns when
  // all are done. The first exception is thrown again here. One caller at a time, and none from
  // inside a body: that is refused. Allocates nothing.
  template <class Body>
  void run(int tasks, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    run_erased(tasks, const_cast<void*>(static_cast<const void*>(&body)),
               [](void* b, int task, int worker) { (*static_cast<Plain*>(b))(task, worker); });
  }

  // Calls body(worker) once in every thread.
  template <class Body>
  void run_in_each(Body&& body) {
    std::atomic<uint32_t> missing{static_cast<uint32_t>(size())};
    run(size(), [&](int, int worker) {
      // Who has had a turn stays until all have, so that nobody takes two.
      const Arrival arrival{missing};
      body(worker);
    });
  }

  // While it lives, the caller stays on its own core too if the pool's threads are pinned. Threads
  // inherit the cores of who starts them: none may be started meanwhile.
  class CallerOnItsCore {
   public:
    explicit CallerOnItsCore(const ThreadPool& pool);
    ~CallerOnItsCore();
    CallerOnItsCore(const CallerOnItsCore&) = delete;
    CallerOnItsCore& operator=(const CallerOnItsCore&) = delete;

   private:
    const ThreadPool& pool_;
  };

 private:
  using Call = void (*)(void*, int task, int worker);
  struct Arrival {
    std::atomic<uint32_t>& missing;
    ~Arrival();
  };

  void run_erased(int tasks, void* body, Call call);
  void open(int tasks);
  void close();
  bool enter();
  void leave();
  void work(int worker);
  void shut_down();
  void drain(int worker);
  template <class Done>
  void spin_until(const Done& done) const;

  // The job. Written by the caller while nobody is inside, published by the gate.
  void* body_ = nullptr;
  Call call_ = nullptr;
  int tasks_ = 0;

  alignas(64) std::atomic<uint32_t> bell_{0};  // rings for every job: another number
  std::atomic<int> asleep_{0};                 // workers that only a wake-up makes look
  alignas(64) std::atomic<uint32_t> gate_{0};  // who is inside the job: see thread_pool.cpp
  alignas(64) std::atomic<int> next_{0};       // the first task nobody has taken
  alignas(64) std::atomic<bool> running_{false};
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  void (*on_start_)();
  std::vector<CoreSet> cores_;  // of each worker; empty: not pinned
  CoreSet unpinned_;            // what the caller came with
  std::chrono::nanoseconds spin_{0};
  std::vector<std::thread> workers_;
};

// Subnormal numbers count as zero in this thread (FTZ and DAZ): they would cost a hundred cycles
// each. Every pool thread calls it, and so does `main`.
void flush_subnormals();

}  // namespace convoy
