#include "support/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "tensor/onednn.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int64_t> of_ours{0}, of_onednn{0}, all_bytes{0}, most_bytes{0};

void* get(size_t bytes, size_t alignment) {
  if (counting.load(std::memory_order_relaxed)) {
    ++(convoy::onednn::inside() ? of_onednn : of_ours);
    const auto size = static_cast<int64_t>(bytes);
    all_bytes += size;
    int64_t most = most_bytes;
    while (size > most && !most_bytes.compare_exchange_weak(most, size)) {
    }
  }
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* get_or_throw(size_t bytes, size_t alignment) {
  void* memory = get(bytes, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

constexpr size_t usual = alignof(std::max_align_t);

}  // namespace

// The whole set: a replaced new must meet a replaced delete.
void* operator new(size_t n) { return get_or_throw(n, usual); }
void* operator new[](size_t n) { return get_or_throw(n, usual); }
void* operator new(size_t n, std::align_val_t a) { return get_or_throw(n, size_t(a)); }
void* operator new[](size_t n, std::align_val_t a) { return get_or_throw(n, size_t(a)); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return get(n, usual); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return get(n, usual); }
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return get(n, size_t(a));
}
void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return get(n, size_t(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }

namespace convoy::test {

AllocationCounter::AllocationCounter() {
  of_ours = 0;
  of_onednn = 0;
  all_bytes = 0;
  most_bytes = 0;
  counting = true;
}
AllocationCounter::~AllocationCounter() { counting = false; }
Allocations AllocationCounter::so_far() const { return {of_ours, of_onednn}; }
int64_t AllocationCounter::bytes() const { return all_bytes; }
int64_t AllocationCounter::largest_bytes() const { return most_bytes; }

}  // namespace convoy::test
