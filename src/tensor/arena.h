// One aligned, zeroed piece of memory that is given back only at the end.
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
  // Backs the first `bytes` with pages now, by all threads of the pool, rather than when something
  // is first written. They must not have been written yet.
  void first_touch(size_t bytes, ThreadPool& pool) const;
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// Writes a zero to every page of new memory: the system puts it where the calling thread runs.
void back_with_pages(std::byte* memory, size_t bytes);

}  // namespace convoy
