#include "train/update/update_shares.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "train/update/optimizer.h"

namespace convoy {
namespace {

StateLayout layout_of(const std::vector<int64_t>& counts) {
  StateLayout layout;
  for (const int64_t count : counts) {
    layout.params.push_back({.name = "p" + std::to_string(layout.params.size()),
                             .shape = {count},
                             .init = {},
                             .offset = layout.param_floats,
                             .count = count});
    layout.param_floats += round_up(count, 16);
  }
  return layout;
}

TEST(UpdateShares, CoverAllOnceInEqualPartsOfWholeChunks) {
  for (const std::vector<int64_t>& counts : std::vector<std::vector<int64_t>>{
           {100000, 64, 64, 40000, 10, 2000000}, {5, 6, 7}, {1 << 20}, {16384, 16384}}) {
    const StateLayout layout = layout_of(counts);
    for (const int processes : {2, 3, 4, 7}) {
      const UpdateShares shares = UpdateShares::split(layout, processes, 1);
      ASSERT_EQ(std::ssize(shares.all), processes);
      EXPECT_TRUE(shares.is_shared());
      EXPECT_EQ(shares.mine(), shares.all[1]);
      int64_t next = 0;
      for (const Bucket& share : shares.all) {
        EXPECT_EQ(share.begin, next);
        EXPECT_LE(std::abs(share.count - layout.param_floats / processes), 16384 + 1);
        next = share.end();
      }
      EXPECT_EQ(next, layout.param_floats);
      for (const UpdateChunk& chunk : update_chunks(layout, {}, Apart::yes)) {
        for (const Bucket& share : shares.all) {
          EXPECT_FALSE(chunk.offset < share.end() && share.end() < chunk.offset + chunk.count);
        }
      }
    }
  }
  const StateLayout layout = layout_of({100, 200});
  EXPECT_FALSE(UpdateShares::whole(layout).is_shared());
  EXPECT_EQ(UpdateShares::whole(layout).slot_floats(), layout.param_floats);
}

TEST(UpdateShares, WhatIsFrozenBehindTheRestIsInNoShare) {
  StateLayout layout = layout_of({20000, 16, 40000, 100000});
  EXPECT_EQ(learning_floats(layout), layout.param_floats);
  layout.params[3].rate = 0;
  layout.params[1].rate = 0;
  EXPECT_EQ(learning_floats(layout), 60016);
  const UpdateShares shares = UpdateShares::split(layout, 2, 0);
  EXPECT_NEAR(static_cast<double>(shares.all[0].count), 30008, 16384);
  EXPECT_EQ(shares.all[1].end(), layout.param_floats);
}

}  // namespace
}  // namespace convoy
