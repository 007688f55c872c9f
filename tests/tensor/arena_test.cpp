#include "tensor/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/threads/thread_pool.h"

namespace convoy {
namespace {

constexpr size_t page = 4096;

// Which pages of the arena the system has put there, of `bytes` from its beginning.
int64_t pages_there(const Arena& arena, size_t bytes) {
  std::vector<unsigned char> there((bytes + page - 1) / page);
  EXPECT_EQ(::mincore(arena.data(), bytes, there.data()), 0);
  return std::count_if(there.begin(), there.end(), [](unsigned char c) { return c & 1; });
}

TEST(Arena, GivesAlignedZeroesAndOnlyGrows) {
  Arena arena(1000);
  EXPECT_GE(arena.size(), 1000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.data()) % Arena::alignment, 0u);
  for (size_t i = 0; i < arena.size(); ++i) EXPECT_EQ(arena.data()[i], std::byte{0});
  const std::byte* before = arena.data();
  arena.reserve(10);
  EXPECT_EQ(arena.data(), before);
  arena.reserve(100000);
  EXPECT_GE(arena.size(), 100000u);
  EXPECT_EQ(arena.data()[99999], std::byte{0});
}

TEST(Arena, SaysWhenThereIsNotEnoughMemory) {
  Arena arena;
  try {
    arena.reserve(size_t{1} << 62);
    ADD_FAILURE() << "got it";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::no_space);
  }
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
