// One aligned, zeroed piece of memory that is given back only at the end.
#pragma once

#include <cstddef>

namespace convoy {

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
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace convoy
