#include "tensor/arena.h"

#include <sys/mman.h>

#include "base/error.h"
#include "base/text.h"

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
  // Huge pages spare the page faults and TLB misses of large activations.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  if (data_) ::munmap(data_, size_);
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
}

}  // namespace convoy
