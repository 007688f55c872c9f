#include "train/tasks/detection_results.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"

namespace convoy::test {
namespace {

// A picture of 200 x 100 pixels with an object of class 2 in its left upper quarter.
PictureTruth truth(int64_t image, std::vector<double>& rows) {
  rows = {0, 0, 100, 50, 2, 5000, 0};
  return {.image_id = image, .height = 100, .width = 200, .objects = rows};
}

std::vector<double> row(int64_t image, const std::vector<Detection>& found, double loss = 1) {
  std::vector<double> rows, made;
  make_detection_row({loss, loss / 4}, truth(image, rows), found, made);
  return made;
}

const Detection right{{0, 0, 0.5f, 0.5f}, 2, 0.9f};
const Detection far{{0.5f, 0.5f, 1, 1}, 2, 0.95f};
// It covers 60 % of the object and nothing else.
const Detection part{{0, 0, 0.5f, 0.3f}, 2, 0.5f};

double value(const DetectionResults& results, std::string_view name) {
  const std::vector<Metric> all = results.metrics();
  const Metric* found = find_metric(all, name);
  return found ? found->value : std::numeric_limits<double>::quiet_NaN();
}

TEST(DetectionResults, ScoresPicturesAsCocoDoes) {
  DetectionResults results(3);
  results.add(row(1, {right}, 2));
  results.add(row(2, {right}, 4));
  EXPECT_EQ(value(results, "loss"), 3);
  EXPECT_DOUBLE_EQ(results.main().value, 1);
  EXPECT_DOUBLE_EQ(value(results, "mAP75"), 1);
  // The best-scored one is wrong: the precision is 1/2 at each of the object's recalls.
  DetectionResults half(3);
  half.add(row(1, {far, right}));
  EXPECT_NEAR(value(half, "mAP"), 0.5, 1e-12);
  // An overlap of 0.6 is enough for a threshold of 0.5, but not for 0.75.
  DetectionResults some(3);
  some.add(row(1, {part}));
  EXPECT_DOUBLE_EQ(value(some, "mAP50"), 1);
  EXPECT_EQ(value(some, "mAP75"), 0);
}

TEST(DetectionResults, WithoutPicturesThereIsNoPrecision) {
  DetectionResults results(3);
  EXPECT_EQ(results.main().value, -1);
  results.add(std::vector<double>{0.5, 0.2});  // of training: only losses
  EXPECT_EQ(value(results, "loss"), 0.5);
  EXPECT_EQ(value(results, "mAP"), -1);
}

TEST(DetectionResults, MergedAndRestoredOnesAreTheSame) {
  DetectionResults first(3), later(3), all(3), restored(3);
  first.add(row(1, {far, right}));
  later.add(row(2, {part}));
  all.add(row(1, {far, right}));
  all.add(row(2, {part}));
  first.merge(later);
  EXPECT_EQ(first.main().value, all.main().value);
  restored.restore(all.save(), 100, "test");
  EXPECT_EQ(restored.main().value, all.main().value);
  EXPECT_EQ(restored.samples(), 2);
  restored.clear();
  EXPECT_EQ(restored.main().value, -1);
}

TEST(DetectionResults, RefusesDamagedRows) {
  const DetectionResults sound = [] {
    DetectionResults results(3);
    results.add(row(1, {right}));
    return results;
  }();
  const SavedResults good = sound.save();
  ASSERT_EQ(good.lists.at("pictures").size(), 1u + 2 + 7 + 6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (size_t i : {size_t{0}, size_t{2}, size_t{7}, size_t{15}}) {
    for (const double wrong : {nan, -1.0, 4.0, 1e300}) {
      SavedResults bad = good;
      bad.lists.at("pictures")[i] = wrong;
      DetectionResults results(3);
      EXPECT_THROW(results.restore(bad, 100, "test"), Error) << i << " " << wrong;
    }
  }
  SavedResults cut = good;
  cut.lists.at("pictures").pop_back();
  DetectionResults results(3);
  EXPECT_THROW(results.restore(cut, 100, "test"), Error);
}

}  // namespace
}  // namespace convoy::test
