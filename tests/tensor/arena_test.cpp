#include "tensor/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/thread_pool.h"

namespace convoy {
namespace {

constexpr size_t page = 4096;

// Which pages of the arena the system has put there, of `bytes` from its beginning.
int64_t pages_there(const Arena& arena, size_t bytes) {
  std::vector<unsigned char> there((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(arena.data(), bytes, there.data()), 0);
  return std::count_if(there.begin(), there.end(), [](unsigned char c) { return c & 1; });
}

TEST(Arena, IsAlignedAndZero) {
  const Arena arena(100'000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % Arena::alignment, 0u);
  EXPECT_TRUE(std::all_of(arena.data(), arena.data() + 100'000,
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Arena, FirstTouchBacksWhatWasAskedForAndNoMore) {
  ThreadPool pool(3);
  for (const size_t bytes : {size_t{1}, page, page + 1, size_t{2} << 20, (size_t{5} << 20) + 17}) {
    const Arena arena(64 << 20);
    arena.first_touch(bytes, pool);
    const auto least = static_cast<int64_t>((bytes + page - 1) / page);
    EXPECT_EQ(pages_there(arena, bytes), least);
    // A page may be as large as 2 MiB: up to one more of those at each end.
    EXPECT_LE(pages_there(arena, arena.size()), least + 2 * 512);
  }
  const Arena arena(page);
  arena.first_touch(0, pool);
  EXPECT_THROW(arena.first_touch(arena.size() + 1, pool), Error);
}

}  // namespace
}  // namespace convoy
