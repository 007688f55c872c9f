#include "base/threads/thread_pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace convoy {
namespace {

// Long enough for the gap between two kernels; then the thread gives its core back. A time and not
// a count of pauses: a pause takes 10 cycles on one processor and 140 on another.
constexpr std::chrono::microseconds spin_before_sleep{50};

// The gate. Bit 0: workers may enter. Bit 1: the caller sleeps until the last worker has left. The
// bits above: the number of workers inside.
constexpr uint32_t gate_open = 1, caller_asleep = 2, one_inside = 4;

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t) &&
              std::atomic<uint32_t>::is_always_lock_free);

// Sleeps until another thread of this process changes `word` (Linux futex). Returns at once unless
// `word` equals `value`; may also return early. Always check again.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

// Wakes at most `threads` threads that wait for `word`.
void futex_wake(const std::atomic<uint32_t>& word, int threads) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void pause_cpu() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads, void (*on_start)(), const std::vector<int>& cores)
    : on_start_(on_start), unpinned_(allowed_cores()) {
  expect(cores.empty() || cores.size() == static_cast<size_t>(threads), "a core for each thread");
  for (const int core : cores) cores_.emplace_back(std::vector{core});
  // With fewer cores than threads, a spinning thread would take the core of a working one.
  if (threads <= available_cores()) spin_ = spin_before_sleep;
  flush_subnormals();
  if (on_start_) on_start_();
  try {
    for (int worker = 1; worker < threads; ++worker) {
      workers_.emplace_back([this, worker] { work(worker); });
    }
  } catch (...) {  // no more threads available: those that run must not outlive this object
    shut_down();
    throw;
  }
}

ThreadPool::~ThreadPool() { shut_down(); }

void ThreadPool::shut_down() {
  stop_ = true;
  bell_.fetch_add(1);
  futex_wake(bell_, size());
  for (std::thread& worker : workers_) worker.join();
}

ThreadPool::CallerOnItsCore::CallerOnItsCore(const ThreadPool& pool) : pool_(pool) {
  if (pool.pinned()) pool.cores_[0].stay();
}

ThreadPool::CallerOnItsCore::~CallerOnItsCore() {
  if (pool_.pinned()) pool_.unpinned_.stay();
}

ThreadPool::Arrival::~Arrival() {
  if (missing.fetch_sub(1) == 1) futex_wake(missing, 1 << 30);
  while (const uint32_t left = missing.load()) futex_wait(missing, left);
}

void ThreadPool::run_erased(int tasks, void* body, Call call) {
  expect(!running_.exchange(true, std::memory_order_acquire), "one job at a time in a pool");
  body_ = body;
  call_ = call;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  const bool alone = tasks <= 1 || workers_.empty();
  if (!alone) open(tasks);
  drain(0);
  if (!alone) close();
  running_.store(false, std::memory_order_release);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::open(int tasks) {
  gate_.store(gate_open, std::memory_order_release);
  // Sequentially consistent, like the worker's change of asleep_: either the worker sees the new
  // bell, or we see that it sleeps.
  bell_.fetch_add(1);
  if (asleep_.load() > 0) futex_wake(bell_, std::min(tasks, size()) - 1);
}

// All tasks are taken: no worker enters any more, and the last one to leave ends the job.
void ThreadPool::close() {
  gate_.fetch_and(~gate_open, std::memory_order_relaxed);
  const auto empty = [&] { return gate_.load(std::memory_order_acquire) < one_inside; };
  spin_until(empty);
  while (!empty()) {
    uint32_t gate = gate_.load();
    if (gate < one_inside) continue;
    if (!(gate & caller_asleep) && !gate_.compare_exchange_strong(gate, gate | caller_asleep))
      continue;
    futex_wait(gate_, gate | caller_asleep);
  }
}

bool ThreadPool::enter() {
  uint32_t gate = gate_.load(std::memory_order_relaxed);
  while (gate & gate_open) {
    if (gate_.compare_exchange_weak(gate, gate + one_inside, std::memory_order_acquire,
                                    std::memory_order_relaxed))
      return true;
  }
  return false;
}

void ThreadPool::leave() {
  if (gate_.fetch_sub(one_inside, std::memory_order_acq_rel) == (one_inside | caller_asleep))
    futex_wake(gate_, 1);
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
  if (pinned()) cores_[static_cast<size_t>(worker)].stay();
  flush_subnormals();
  if (on_start_) on_start_();
  uint32_t heard = 0;
  while (true) {
    const auto rings = [&] { return bell_.load(std::memory_order_acquire) != heard; };
    spin_until(rings);
    if (!rings()) {
      asleep_.fetch_add(1);
      while (bell_.load() == heard) futex_wait(bell_, heard);
      asleep_.fetch_sub(1);
    }
    heard = bell_.load(std::memory_order_acquire);
    if (stop_) return;
    if (!enter()) continue;
    drain(worker);
    leave();
  }
}

template <class Done>
void ThreadPool::spin_until(const Done& done) const {
  using Clock = std::chrono::steady_clock;
  if (done() || spin_.count() == 0) return;
  const auto end = Clock::now() + spin_;
  do {
    for (int i = 0; i < 8; ++i) {
      if (done()) return;
      pause_cpu();
    }
  } while (Clock::now() < end);
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
