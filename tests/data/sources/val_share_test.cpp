#include "data/sources/val_share.h"

#include <gtest/gtest.h>

#include <map>

namespace convoy {
namespace {

std::vector<std::string> names(int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back("IMG_" + std::to_string(1000 + i) + ".jpg");
  return all;
}

TEST(ValShare, IsAboutTheShareOfMany) {
  for (const double share : {0.1, 0.3, 0.9}) {
    const std::vector<bool> is_out = held_out(names(5000), share);
    EXPECT_NEAR(static_cast<double>(std::count(is_out.begin(), is_out.end(), true)), 5000 * share,
                120);
  }
}

TEST(ValShare, PicturesThatAreAddedMoveNoOther) {
  std::vector<std::string> all = names(300);
  std::map<std::string, bool> before;
  const std::vector<bool> first = held_out(all, 0.2);
  for (size_t i = 0; i < all.size(); ++i) before[all[i]] = first[i];
  for (int i = 0; i < 100; ++i) all.insert(all.begin() + i * 3, "new" + std::to_string(i) + ".png");
  const std::vector<bool> now = held_out(all, 0.2);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!before.contains(all[i])) continue;
    EXPECT_EQ(now[i], before[all[i]]) << all[i];
  }
}

TEST(ValShare, TwoPicturesAreEnoughForBothUses) {
  EXPECT_EQ(held_out(names(1), 0.5), std::vector<bool>{false});
  for (int count = 2; count < 12; ++count) {
    for (const double share : {0.01, 0.5, 0.9}) {
      const std::vector<bool> is_out = held_out(names(count), share);
      const auto out = std::count(is_out.begin(), is_out.end(), true);
      EXPECT_GE(out, 1);
      EXPECT_LT(out, count);
    }
  }
}

}  // namespace
}  // namespace convoy
