#include "tensor/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/text/text.h"
#include "base/threads/thread_pool.h"

namespace convoy {

Arena::~Arena() {
  if (data_) ::munmap(data_, size_);
}

void Arena::reserve(size_t bytes) {
  if (bytes <= size_) return;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    raise(Fault::no_space, "cannot get {} of memory; try: a smaller --batch-size",
          human_bytes(static_cast<double>(bytes)));
  }
  // Huge pages avoid page faults and TLB misses of large activations.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  if (data_) ::munmap(data_, size_);
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
}

void Arena::first_touch(size_t bytes, ThreadPool& pool) const {
  expect(bytes <= size_, "no more than there is");
  // Cut at huge page borders, so that one thread clears each huge page.
  constexpr uintptr_t piece = 2 << 20;
  const auto begin = reinterpret_cast<uintptr_t>(data_), end = begin + bytes;
  const uintptr_t first = begin / piece;
  const auto pieces = static_cast<int>((end + piece - 1) / piece - first);
  pool.run(pieces, [&](int i, int) {
    const uintptr_t from = std::max(begin, (first + static_cast<uintptr_t>(i)) * piece);
    const uintptr_t to = std::min(end, (first + static_cast<uintptr_t>(i) + 1) * piece);
    back_with_pages(data_ + (from - begin), to - from);
  });
}

void back_with_pages(std::byte* memory, size_t bytes) {
  constexpr size_t page = 4096;  // the smallest page size
  for (size_t at = 0; at < bytes; at += page) {
    *static_cast<volatile std::byte*>(memory + at) = std::byte{0};
  }
  // The memory may begin inside a page, so the last byte may be in one more page.
  if (bytes > 0) *static_cast<volatile std::byte*>(memory + bytes - 1) = std::byte{0};
}

}  // namespace convoy
