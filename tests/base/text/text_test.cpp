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

TEST(Text, WordsForAShellAreReadBackByOne) {
  EXPECT_EQ(in_shell("--lr=0.1,./a_b:c%+@"), "--lr=0.1,./a_b:c%+@");
  for (const std::string& word : {std::string(), std::string("a b"), std::string("it's $HOME; *"),
                                  std::string("'"), std::string("tab\tand\\and\"")}) {
    FILE* shell = ::popen(("printf %s " + in_shell(word)).c_str(), "r");
    ASSERT_TRUE(shell);
    std::string read(100, '\0');
    read.resize(std::fread(read.data(), 1, read.size(), shell));
    EXPECT_EQ(::pclose(shell), 0);
    EXPECT_EQ(read, word) << in_shell(word);
  }
}

TEST(Text, LinesAreSplitAtTheirBlanks) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_at_blanks(""), Words{});
  EXPECT_EQ(split_at_blanks(" \t\r"), Words{});
  EXPECT_EQ(split_at_blanks("a"), Words{"a"});
  EXPECT_EQ(split_at_blanks("\ta  bc\t d\r"), (Words{"a", "bc", "d"}));
}

TEST(Text, ANumberHasDigitsAlone) {
  for (const char* yes : {"0", "007", "123456789012345678901234567890"})
    EXPECT_TRUE(is_number(yes));
  for (const char* no : {"", "-1", "1.0", " 1", "1e3", "x"}) EXPECT_FALSE(is_number(no)) << no;
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
