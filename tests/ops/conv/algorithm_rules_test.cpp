#include "ops/conv/algorithm_rules.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::ops {
namespace {

using test::expect_raises;

std::vector<AlgorithmRule> read(const std::string& text) {
  const test::TempFolder folder;
  test::write_bytes(folder / "tuned.txt", text);
  return read_rules(folder / "tuned.txt");
}

TEST(AlgorithmRules, AFileHasARuleALine) {
  const auto rules = read(
      "# tuned\n"
      "\n"
      "forward      64@56x56->64/3x3/s1/p1\twinograd:f4   # fast\r\n"
      "grad_*  *@7x7->*/3x3/s1/p1 winograd:f2\n"
      "* * direct");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rule_text(rules[0]), "forward 64@56x56->64/3x3/s1/p1 winograd:f4");
  EXPECT_EQ(rule_text(rules[1]), "grad_* *@7x7->*/3x3/s1/p1 winograd:f2");
  EXPECT_EQ(rule_text(rules[2]), "* * direct");
  EXPECT_TRUE(rules[0].where.ends_with("tuned.txt:3")) << rules[0].where;
  EXPECT_TRUE(rules[2].where.ends_with("tuned.txt:5")) << rules[2].where;
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("# nothing\n\n").empty());
}

TEST(AlgorithmRules, ABadLineIsNamedWithFileAndNumber) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {"forward", "not PASS CONVOLUTION ALGORITHM"},
      {"forward 64@56x56->64/3x3/s1/p1", "not PASS CONVOLUTION ALGORITHM"},
      {"forward 64@56x56->64/3x3/s1/p1 direct now", "not PASS CONVOLUTION ALGORITHM"},
      {"forwards 64@56x56->64/3x3/s1/p1 direct", "no pass \"forwards\"; nearest: forward"},
      {"grad 64@56x56->64/3x3/s1/p1 direct", "no pass \"grad\""},
      {"forward 64@56x56->64/3x3 direct", "is no convolution; try: 64@56x56->64/3x3/s1/p1"},
      {"forward 64@56x56->64/3x3/s1/p1/g7 direct", "is no convolution"},
      {"forward layer1* direct", "fits no convolution"},
      {"forward 64@56x56->64/3x3/s1/p1 winograd", "no algorithm \"winograd\""},
      {"forward 64@56x56->64/3x3/s1/p1 winograd:f6", "nearest: winograd:f2"},
      {"forward 64@56x56->64/1x1/s1/p0 winograd:f4", "winograd:f4 cannot compute forward of"},
      {"* 64@56x56->64/3x3/s2/p1 winograd:f2", "cannot compute"},
      {std::string("\x01\xff\x7f 1 2"), "no pass \"???\""},
      {std::string(5000, 'a'), "…"}};
  for (const auto& [line, problem] : lines) {
    expect_raises(Fault::usage, {"tuned.txt:2: ", problem},
                  [&, &text = line] { read("# first\n" + text + "\n* * direct\n"); });
  }
}

TEST(AlgorithmRules, AFileThatIsNoTextOrNotThereIsRefused) {
  expect_raises(Fault::usage, {"tuned.txt", "must be text"},
                [] { read(std::string("\0\0\0", 3)); });
  expect_raises(Fault::usage, {"tuned.txt", "at most 1 MiB"},
                [] { read(std::string(2 << 20, '\n')); });
  expect_raises(Fault::usage, {"no-such-file"}, [] { read_rules("no-such-file"); });
}

TEST(AlgorithmRules, ARuleIsToldFromTheNameOfAFile) {
  EXPECT_TRUE(looks_like_rule("forward 64@56x56->64/3x3/s1/p1 direct"));
  EXPECT_TRUE(looks_like_rule("* * direct"));
  EXPECT_TRUE(looks_like_rule("grad_input nonsense"));
  EXPECT_FALSE(looks_like_rule("tuned.txt"));
  EXPECT_FALSE(looks_like_rule("my files/tuned.txt"));
  EXPECT_FALSE(looks_like_rule("forward"));
  EXPECT_FALSE(looks_like_rule(""));
}

}  // namespace
}  // namespace convoy::ops
