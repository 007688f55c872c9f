#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "base/error.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace convoy {
namespace {

// Long enough to bridge the gap between two kernels, short enough that threads beyond the number
// of cores soon give theirs back.
constexpr int spins_before_sleep = 2000;

void pause_cpu() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads, void (*on_start)()) : on_start_(on_start) {
  flush_subnormals();
  if (on_start_) on_start_();
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(int tasks, void* body, Call call) {
  expect(!running_.exchange(true, std::memory_order_acquire), "one job at a time in a pool");
  body_ = body;
  call_ = call;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  const bool alone = tasks <= 1 || workers_.empty();
  if (!alone) {
    busy_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }
  drain(0);
  if (!alone) {
    for (int spin = 0; busy_.load(std::memory_order_acquire) != 0 && spin < spins_before_sleep;
         ++spin) {
      pause_cpu();
    }
    while (const int left = busy_.load(std::memory_order_acquire)) busy_.wait(left);
  }
  running_.store(false, std::memory_order_release);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::drain(int worker) {
  try {
    for (int task; (task = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
      call_(body_, task, worker);
    }
  } catch (...) {
    next_.store(tasks_, std::memory_order_relaxed);
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void ThreadPool::work(int worker) {
  flush_subnormals();
  if (on_start_) on_start_();
  uint32_t seen = 0;
  while (true) {
    for (int spin = 0;
         generation_.load(std::memory_order_acquire) == seen && spin < spins_before_sleep; ++spin) {
      pause_cpu();
    }
    generation_.wait(seen, std::memory_order_acquire);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) return;
    drain(worker);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
  // cgroup v2: "quota period" in microseconds, or "max period".
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period && quota != "max" && period > 0) {
    cores = std::min(cores, static_cast<int>(std::ceil(std::stod(quota) / period)));
  }
  return std::max(cores, 1);
}

void flush_subnormals() {
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (1u << 24)));
#endif
}

}  // namespace convoy
