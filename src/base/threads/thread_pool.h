// The one pool that runs every kernel. Any thread may run any task; kernels are cut into tasks by
// shape alone, so no result depends on it.
//
// A job ends when its tasks are done, even if some threads never joined it: a thread that gets no
// core in time (more threads than cores, another program) delays no other. A waiting thread spins
// for some microseconds, then sleeps.
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
  // `threads` includes the caller, which works too. `on_start` runs once in each thread. `cores`:
  // the core each worker is pinned to; empty: not pinned.
  explicit ThreadPool(int threads, void (*on_start)() = nullptr,
                      const std::vector<int>& cores = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }
  bool pinned() const { return !cores_.empty(); }

  // Calls body(task, worker) for every task in [0, tasks), worker in [0, size()), and returns when
  // all are done. Rethrows the first exception. Only one caller at a time, and a call from inside a
  // body is refused. Allocates nothing.
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
      // A thread that had its turn waits here until all had theirs, so that no thread takes two.
      const Arrival arrival{missing};
      body(worker);
    });
  }

  // While it lives and the pool is pinned, the caller is pinned to its own core too. Start no
  // threads meanwhile: they would inherit that core.
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

  // The current job. The caller writes it while no worker is inside; the gate publishes it.
  void* body_ = nullptr;
  Call call_ = nullptr;
  int tasks_ = 0;

  alignas(64) std::atomic<uint32_t> bell_{0};  // changes with every job, to wake workers
  std::atomic<int> asleep_{0};                 // workers that sleep and need a wake-up
  alignas(64) std::atomic<uint32_t> gate_{0};  // workers inside the job: see thread_pool.cpp
  alignas(64) std::atomic<int> next_{0};       // the next task to take
  alignas(64) std::atomic<bool> running_{false};
  std::atomic<bool> stop_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  void (*on_start_)();
  std::vector<CoreSet> cores_;  // for each worker; empty: not pinned
  CoreSet unpinned_;            // the caller's cores before it was pinned
  std::chrono::nanoseconds spin_{0};
  std::vector<std::thread> workers_;
};

// Treats subnormal numbers as zero in this thread (FTZ and DAZ): each would cost about a hundred
// cycles. Every pool thread calls it, and so does `main`.
void flush_subnormals();

}  // namespace convoy
