#include "report/results/class_results.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/results/predictions_file.h"

namespace convoy {
namespace {

// By hand: three classes, six samples.
const SampleResults six{{{0, 0, 0, 0.95, 0.1},
                         {1, 0, 1, 0.65, 1.5},
                         {2, 1, 1, 0.55, 0.6},
                         {3, 1, 1, 0.95, 0.1},
                         {4, 2, 1, 0.85, 2.0},
                         {5, 2, 0, 0.35, 2.5}},
                        {"cat", "dog", "owl"}};

TEST(ClassResults, CountWhatIsTakenForWhat) {
  const ClassResults results = class_results(six);
  EXPECT_EQ(results.samples, 6);
  EXPECT_EQ(results.right, 3);
  EXPECT_EQ(results.matrix, (std::vector<int64_t>{1, 1, 0, 0, 2, 0, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(results.classes[1].precision(), 0.5);
  EXPECT_DOUBLE_EQ(results.classes[1].recall(), 1);
  EXPECT_DOUBLE_EQ(results.classes[1].f1(), 2.0 / 3);
  EXPECT_EQ(results.classes[2].precision(), 0);
  ASSERT_EQ(results.confusions.size(), 3);
  EXPECT_EQ(results.confusions[0].samples, 1);
  // |0.95 + 0.95 - 2| + |0.65 - 0| + |0.55 - 1| + |0.85 - 0| + |0.35 - 0|, over 6.
  EXPECT_NEAR(results.calibration_error, (0.1 + 0.65 + 0.45 + 0.85 + 0.35) / 6, 1e-12);
}

TEST(ClassResults, LeaveOutWhatIsImpossible) {
  SampleResults results = six;
  results.all.push_back({6, -1, 0, 0.5, 0});
  results.all.push_back({7, 0, 1 << 30, 0.5, 0});
  results.all.push_back({8, 0, 0, std::numeric_limits<double>::quiet_NaN(), 0});
  results.all.push_back({9, 3, 3, 1, 0});
  const ClassResults found = class_results(results);
  EXPECT_EQ(found.samples, 7);
  EXPECT_EQ(found.classes.back().name, "3");
  EXPECT_EQ(class_results({}).samples, 0);
}

TEST(PredictionsFile, ReadsBackWhatItWrites) {
  SampleResults results = six;
  results.classes[0] = "a\nb";
  results.all[1].loss = std::numeric_limits<double>::infinity();
  const std::string text = predictions_text(results);
  const auto read = parse_predictions(text + "half,a,line\n1,2\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->classes, (std::vector<std::string>{"a\\nb", "dog", "owl"}));
  ASSERT_EQ(read->all.size(), 6);
  EXPECT_EQ(read->all[4], results.all[4]);
  EXPECT_FALSE(parse_predictions("index,truth\n"));
}

}  // namespace
}  // namespace convoy
