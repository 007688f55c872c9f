#include "base/text/text.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(Text, NearestFindsATypoAndRefusesNonsense) {
  const std::vector<std::string> keys{"batch-size", "epochs", "lr", "learning-rate-decay"};
  EXPECT_EQ(nearest("batchsize", keys), "batch-size");
  EXPECT_EQ(nearest("epoch", keys), "epochs");
  EXPECT_EQ(nearest("learning-rate", keys), "learning-rate-decay");  // a beginning counts as near
  EXPECT_EQ(nearest("zzzzzz", keys), "");
}

TEST(Text, PatternsMatchAsInAShell) {
  EXPECT_TRUE(matches_pattern("cifar_resnet20", "cifar*"));
  EXPECT_TRUE(matches_pattern("cifar_resnet20", "*resnet2?"));
  EXPECT_FALSE(matches_pattern("cifar_resnet20", "resnet*"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_TRUE(matches_pattern("", ""));
  EXPECT_FALSE(matches_pattern("", "?"));
  EXPECT_TRUE(matches_pattern("aab", "a*b"));
  EXPECT_TRUE(matches_pattern("abcabd", "*ab?"));
  EXPECT_TRUE(matches_pattern("ab", "ab**"));
  EXPECT_FALSE(matches_pattern("ab", "abc*"));
  // Where every star tried everything, this would never end.
  EXPECT_FALSE(matches_pattern(std::string(200, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_seconds(3723), "1:02:03");
  EXPECT_EQ(human_seconds(59.6), "1:00");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(12), "12");
}

}  // namespace
}  // namespace convoy
