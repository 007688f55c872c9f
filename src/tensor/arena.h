// One aligned, zeroed block of memory. The Arena owns it and frees it in its destructor.
#pragma once

#include <cstddef>

namespace convoy {

class ThreadPool;

class Arena {
 public:
  static constexpr size_t alignment = 64;

  Arena() = default;
  explicit Arena(size_t bytes) { reserve(bytes); }
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Grows to at least `bytes`; the content is lost and the address may change.
  void reserve(size_t bytes);
  // Maps the first `bytes` to physical pages now, on all threads of the pool, instead of at the
  // first write. They must not have been written yet.
  void first_touch(size_t bytes, ThreadPool& pool) const;
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// Writes a zero to every page of new memory; the system then allocates it on the NUMA node of the
// calling thread.
void back_with_pages(std::byte* memory, size_t bytes);

}  // namespace convoy
