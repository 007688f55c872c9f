#include "train/run/peer_terms.h"

#include <gtest/gtest.h>

#include "data/sources/memory_dataset.h"
#include "support/raises.h"
#include "support/thread_world.h"

namespace convoy {
namespace {

TEST(PeerTerms, TheFirstRankAndKeyThatDifferAreNamedOnEveryRank) {
  test::with_ranks({0, 0, 1}, [](Transport& world) {
    EXPECT_FALSE(peer_difference(world, {{"lr", "0.1"}, {"seed", "1"}}));
    const std::string lr = world.rank() == 2 ? "0.2" : "0.1";
    const auto found = peer_difference(world, {{"lr", lr}, {"seed", "1"}});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->who.starts_with("rank 2 (host ")) << found->who;
    EXPECT_EQ(found->key, "lr");
    EXPECT_EQ(found->value, "0.2");
    EXPECT_EQ(found->of_first, "0.1");
    std::map<std::string, std::string> more{{"lr", "0.1"}};
    if (world.rank() == 1) more["seed"] = "7";
    const auto added = peer_difference(world, more);
    ASSERT_TRUE(added);
    EXPECT_EQ(added->key, "seed");
    EXPECT_FALSE(added->of_first);
  });
}

TEST(PeerTerms, OtherDataOfTheSameSizeIsNamedOnEveryRank) {
  constexpr int64_t count = 5000;  // more than one piece
  const auto set = [](uint8_t odd) {
    std::vector<uint8_t> pixels(count, 9), labels(count, 0);
    pixels[4999] = odd;
    return MemoryDataset({1, 1, 1}, {"a"}, std::move(pixels), std::move(labels));
  };
  test::with_ranks({0, 1}, [&](Transport& world) {
    expect_same_data(world, set(9), "train");
    test::expect_raises(Fault::data, {"rank 1 (host ", "train/image 4999 has other contents"},
                        [&] { expect_same_data(world, set(world.rank() == 1 ? 8 : 9), "train"); });
  });
}

TEST(PeerTerms, AMissingSampleIsNamedWhateverPieceItWouldBegin) {
  test::with_ranks({0, 1}, [&](Transport& world) {
    const auto count = static_cast<size_t>(world.rank() == 1 ? 4096 : 4097);
    const MemoryDataset set({1, 1, 1}, {"a"}, std::vector<uint8_t>(count, 9),
                            std::vector<uint8_t>(count, 0));
    test::expect_raises(Fault::data, {"val/image 4096 is missing"},
                        [&] { expect_same_data(world, set, "val"); });
  });
}

}  // namespace
}  // namespace convoy
