#include "app/predict/predictions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace convoy {
namespace {

std::vector<int64_t> classes(const std::vector<Guess>& guesses) {
  std::vector<int64_t> all;
  for (const Guess& guess : guesses) all.push_back(guess.label);
  return all;
}

using Classes = std::vector<int64_t>;

TEST(Predictions, TheLikeliestComeFirstWithTheirShare) {
  const std::vector<float> logits{1, 3, -2, 3, 0};
  const std::vector<Guess> all = likeliest(logits, 9);
  EXPECT_EQ(classes(all), (Classes{1, 3, 0, 4, 2}));  // of equals the lower class
  EXPECT_EQ(classes(likeliest(logits, 2)), (Classes{1, 3}));
  double sum = 0, expected = 0;
  for (const float x : logits) expected += std::exp(static_cast<double>(x));
  for (const Guess& guess : all) sum += guess.p;
  EXPECT_NEAR(sum, 1, 1e-15);
  EXPECT_NEAR(all[2].p, std::exp(1) / expected, 1e-15);
  // Logits that exp alone could not hold.
  EXPECT_NEAR(likeliest(std::vector<float>{1000, 999}, 1)[0].p, 1 / (1 + std::exp(-1)), 1e-12);
  EXPECT_EQ(likeliest(std::vector<float>{-1e30f, -1e30f}, 1)[0].p, 0.5);
  // What is no number is not hidden.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(classes(likeliest(std::vector<float>{1, nan, 5, nan}, 3)), (Classes{1, 3, 2}));
  EXPECT_TRUE(std::isnan(likeliest(std::vector<float>{1, nan}, 1)[0].p));
}

TEST(Predictions, AreToldAsTextAndAsJson) {
  const std::vector<std::string> names{"a \"b\"", "c"};
  Prediction prediction{7, "", {{0, 0.75}, {1, 0.2}, {2, 0.05}}, {}};
  EXPECT_EQ(text_line(prediction, names), "     7  a \"b\" 75.0%, c 20.0%, class 2 5.0%\n");
  EXPECT_EQ(json_line(prediction, names),
            R"({"index":7,"top":[{"class":0,"name":"a \"b\"","p":0.75},)"
            R"({"class":1,"name":"c","p":0.2},{"class":2,"name":"class 2","p":0.05}]})"
            "\n");
  prediction.top.resize(1);
  prediction.label = 0;
  EXPECT_EQ(text_line(prediction, names), "     7  right  a \"b\" 75.0%\n");
  prediction.label = 1;
  EXPECT_EQ(text_line(prediction, names), "     7  wrong  a \"b\" 75.0%  (is c)\n");
  EXPECT_EQ(json_line(prediction, names),
            R"({"index":7,"top":[{"class":0,"name":"a \"b\"","p":0.75}],"label":1})"
            "\n");
  prediction.file = "b/c.jpg";
  EXPECT_EQ(text_line(prediction, names), "b/c.jpg  wrong  a \"b\" 75.0%  (is c)\n");
  EXPECT_EQ(
      json_line(prediction, names),
      R"({"index":7,"file":"b/c.jpg","top":[{"class":0,"name":"a \"b\"","p":0.75}],"label":1})"
      "\n");
}

}  // namespace
}  // namespace convoy
