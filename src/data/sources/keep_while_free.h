// Keeps values by index as long as memory is free. Several threads use it at once; what is kept is
// never changed or dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/process.h"

namespace convoy {

// How much memory is left, and how much must stay free.
struct FreeMemory {
  std::function<int64_t()> bytes;
  int64_t reserve = 0;

  // What the machine or the tightest cgroup has left, and an eighth of all memory.
  static FreeMemory of_machine() {
    constexpr int64_t share = 8;
    return {[] { return free_memory_bytes(); }, memory_limit_bytes() / share};
  }
};

template <class T>
class KeepWhileFree {
 public:
  KeepWhileFree(int64_t size, FreeMemory free)
      : size_(size),
        free_(std::move(free)),
        kept_(std::make_unique<std::atomic<T*>[]>(static_cast<size_t>(size))) {}
  ~KeepWhileFree() {
    for (int64_t i = 0; i < size_; ++i) delete kept_[static_cast<size_t>(i)].load();
  }
  KeepWhileFree(const KeepWhileFree&) = delete;
  KeepWhileFree& operator=(const KeepWhileFree&) = delete;

  // Null: it is not kept.
  const T* find(int64_t index) const {
    return kept_[static_cast<size_t>(index)].load(std::memory_order_acquire);
  }

  // Keeps what `make` returns, about `bytes` in memory, if there is room. Another thread may have
  // kept it meanwhile; then that stays.
  template <class Make>
  void keep(int64_t index, int64_t bytes, const Make& make) {
    if (!has_room(bytes)) return;
    auto value = std::make_unique<T>(make());
    T* none = nullptr;
    if (kept_[static_cast<size_t>(index)].compare_exchange_strong(none, value.get())) {
      value.release();
    }
  }

 private:
  // Asks the system for free memory every few megabytes.
  bool has_room(int64_t bytes) {
    constexpr int64_t often = 16 << 20;
    if (full_.load(std::memory_order_relaxed)) return false;
    if (unasked_.fetch_add(bytes) + bytes < often) return true;
    unasked_ = 0;
    if (free_.bytes() >= free_.reserve) return true;
    full_ = true;
    return false;
  }

  int64_t size_;
  FreeMemory free_;
  std::unique_ptr<std::atomic<T*>[]> kept_;
  std::atomic<int64_t> unasked_{1 << 30};  // so large that the first call asks
  std::atomic<bool> full_{false};
};

}  // namespace convoy
