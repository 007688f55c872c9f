#include "boxes/yolo_labels.h"

#include <gtest/gtest.h>

#include <array>

namespace convoy {
namespace {

YoloLabels parse(std::string_view text, bool key_points = false) {
  return parse_yolo_labels(text, 3, key_points);
}

void expect_row(const YoloRow& row, int64_t number, std::array<double, 4> box) {
  EXPECT_EQ(row.number, number);
  EXPECT_DOUBLE_EQ(row.cx, box[0]);
  EXPECT_DOUBLE_EQ(row.cy, box[1]);
  EXPECT_DOUBLE_EQ(row.width, box[2]);
  EXPECT_DOUBLE_EQ(row.height, box[3]);
}

TEST(YoloLabels, AreALineForEachBox) {
  const YoloLabels labels = parse(
      "\xef\xbb\xbf"
      "0 0.5 0.25 0.125 0.5\r\n\n  2\t1 1 1e-3 +.5  \n1.0 0 0 0 0");
  EXPECT_TRUE(labels.problems.empty());
  ASSERT_EQ(labels.rows.size(), 3u);
  expect_row(labels.rows[0], 0, {0.5, 0.25, 0.125, 0.5});
  expect_row(labels.rows[1], 2, {1, 1, 1e-3, 0.5});
  expect_row(labels.rows[2], 1, {0, 0, 0, 0});
  EXPECT_TRUE(parse("").rows.empty());
  EXPECT_TRUE(parse("\n \r\n").problems.empty());
}

TEST(YoloLabels, OfPolygonsTheBoundingBoxCounts) {
  const YoloLabels labels = parse("1 0.25 0.5 0.75 0.5 0.5 1.005\n2 0 0 1 0 1 1 0 1\n");
  ASSERT_TRUE(labels.problems.empty());
  ASSERT_EQ(labels.rows.size(), 2u);
  expect_row(labels.rows[0], 1, {0.5, 0.75, 0.5, 0.5});  // cut at 1
  expect_row(labels.rows[1], 2, {0.5, 0.5, 1, 1});
}

TEST(YoloLabels, KeyPointsBehindABoxAreSkipped) {
  const YoloLabels labels = parse("1 0.5 0.5 0.25 0.25 0.1 0.2 2 130.5 -4 0\n", true);
  ASSERT_TRUE(labels.problems.empty());
  expect_row(labels.rows.at(0), 1, {0.5, 0.5, 0.25, 0.25});
}

struct Mistake {
  const char* line;
  const char* what;
};

class YoloMistakes : public testing::TestWithParam<Mistake> {};

// Between two sound lines, so the place is known.
TEST_P(YoloMistakes, AreNamedWithTheirLine) {
  const Mistake& mistake = GetParam();
  const YoloLabels labels =
      parse(std::string("0 0.5 0.5 0.5 0.5\n") + mistake.line + "\n1 0.5 0.5 0.1 0.1\n");
  ASSERT_EQ(labels.problems.size(), 1u) << mistake.line;
  EXPECT_EQ(labels.problems[0].line, 2);
  EXPECT_NE(labels.problems[0].what.find(mistake.what), std::string::npos)
      << labels.problems[0].what;
  EXPECT_EQ(labels.problems[0].is_class,
            labels.problems[0].what.find("unknown") != std::string::npos);
  EXPECT_EQ(labels.rows.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    All, YoloMistakes,
    testing::Values(
        Mistake{"0", "0 numbers"}, Mistake{"0 0.5", "1 numbers"}, Mistake{"0 0.5 0.5", "2 numbers"},
        Mistake{"0 0.5 0.5 0.5", "3 numbers"}, Mistake{"0 .5 .5 .5 .5 .5", "5 numbers"},
        Mistake{"0 .5 .5 .5 .5 .5 .5 .5", "7 numbers"}, Mistake{"3 .5 .5 .1 .1", "unknown"},
        Mistake{"80 .5 .5 .1 .1", "unknown"}, Mistake{"1e6 .5 .5 .1 .1", "unknown"},
        Mistake{"1e30 .5 .5 .1 .1", "whole number"}, Mistake{"-1 .5 .5 .1 .1", "whole number"},
        Mistake{"0.5 .5 .5 .1 .1", "whole number"}, Mistake{"cat .5 .5 .1 .1", "whole number"},
        Mistake{"nan .5 .5 .1 .1", "whole number"}, Mistake{"inf .5 .5 .1 .1", "whole number"},
        Mistake{"0x1 .5 .5 .1 .1", "whole number"}, Mistake{"\xff .5 .5 .1 .1", "whole number"},
        Mistake{"0, .5 .5 .1 .1", "whole number"}, Mistake{"0 nan .5 .1 .1", "no number"},
        Mistake{"0 .5 inf .1 .1", "no number"}, Mistake{"0 .5 .5 -inf .1", "no number"},
        Mistake{"0 .5 .5 .1 1e999", "no number"}, Mistake{"0 0,5 0,5 0,1 0,1", "no number"},
        Mistake{"0 .5, .5, .1, .1", "no number"}, Mistake{"0 .5 .5 .1 .1px", "no number"},
        Mistake{"0 .5 .5 .1 --.1", "no number"}, Mistake{"0 x y w h", "no number"},
        Mistake{"0 .5 .5 .1 .1 # dog", "no number"}, Mistake{"0 1.02 .5 .1 .1", "between 0 and 1"},
        Mistake{"0 .5 -0.02 .1 .1", "between 0 and 1"},
        Mistake{"0 .5 .5 1.5 .1", "between 0 and 1"}, Mistake{"0 .5 .5 .1 -1", "between 0 and 1"},
        Mistake{"0 320 240 100 50", "between 0 and 1"}, Mistake{"0 50% .5 .1 .1", "no number"},
        Mistake{"0 .5 .5 -0.005 .1", "negative size"},
        Mistake{"0 .5 .5 .1 -0.001", "negative size"},
        Mistake{"0 0 0 1 0 1 1", "boxes and polygons"},
        Mistake{"0 0 0 1 0 1 1 0 1", "boxes and poly"}, Mistake{"0 0 0 1 0 1 9", "between 0 and 1"},
        Mistake{"{\"class\": 0}", "whole number"}));

TEST(YoloLabels, ProblemsAreCountedUpToALimit) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "9 .5 .5 .1 .1\n";
  EXPECT_EQ(parse(text).problems.size(), YoloLabels::most_problems);
}

}  // namespace
}  // namespace convoy
