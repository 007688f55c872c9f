// The one pool that runs every kernel. Which thread runs which task is left to chance; kernels are
// cut into tasks by shape alone, so that no result depends on it.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace convoy {

class ThreadPool {
 public:
  // `threads` counts the caller, which works too. `on_start` runs once in each thread.
  explicit ThreadPool(int threads, void (*on_start)() = nullptr);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(task, worker) for every task in [0, tasks), worker in [0, size()), and returns when
  // all are done. The first exception is thrown again here. One caller at a time, and none from
  // inside a body: that is refused. Allocates nothing.
  template <class Body>
  void run(int tasks, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    run_erased(tasks, const_cast<void*>(static_cast<const void*>(&body)),
               [](void* b, int task, int worker) { (*static_cast<Plain*>(b))(task, worker); });
  }

 private:
  using Call = void (*)(void*, int task, int worker);

  void run_erased(int tasks, void* body, Call call);
  void work(int worker);
  void drain(int worker);

  // The job. Written by the caller while no worker is busy, published by `generation_`.
  void* body_ = nullptr;
  Call call_ = nullptr;
  int tasks_ = 0;

  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int> next_{0};
  alignas(64) std::atomic<int> busy_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> running_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  void (*on_start_)();
  std::vector<std::thread> workers_;
};

// The processors this process may use: affinity mask and cgroup quota.
int available_cores();

// Subnormal numbers count as zero in this thread (FTZ and DAZ): they would cost a hundred cycles
// each. Every pool thread calls it, and so does `main`.
void flush_subnormals();

}  // namespace convoy
