#include "boxes/coco_results.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/session.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

class CocoResults : public testing::Test {
 protected:
  CocoScorer read(const std::string& text) const {
    write_atomically(folder_ / "found.json", text, Fault::bug);
    return scorer_of(truth_, folder_ / "found.json");
  }
  // This entry after a sound one.
  static std::string with(const std::string& entry) {
    return R"([{"image_id": 4, "category_id": 90, "bbox": [1, 2, 10, 20], "score": 0.5}, )" +
           entry + "]";
  }
  void expect_refused(const std::string& text, std::string_view what) const {
    SCOPED_TRACE(text);
    expect_raises(Fault::data, {"found.json", what, "; try: "}, [&] { read(text); });
  }

  TempFolder folder_;
  const CocoAnnotations truth_{.images = {{4, "a.jpg", 100, 100}, {2, "b.jpg", 100, 100}},
                               .categories = {{90, "x"}, {1, "y"}},
                               .annotations = {{1, 4, 90, 1, 2, 10, 20, 200, false}}};
};

TEST_F(CocoResults, AreScoredInTheCategoriesOfTheAnnotations) {
  const CocoScore score =
      read(with(R"({"id": 3, "image_id": 2, "category_id": 1, "bbox": [0, 0, 0, 5], "score": -1e3,
                    "segmentation": {"counts": "x"}})"))
          .score(pool(1));
  EXPECT_NEAR(score.categories[0].ap, 1, 1e-9);
  EXPECT_EQ(score.categories[1].ap, -1);
  EXPECT_EQ(score.categories[1].detections, 1);
  EXPECT_EQ(read("[]").score(pool(1)).categories[0].ap, 0);
}

TEST_F(CocoResults, EachMistakeIsNamedWithTheNumberOfItsEntry) {
  const std::string sound =
      R"({"image_id": 4, "category_id": 90, "bbox": [1, 2, 3, 4], "score": 0.25})";
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    return with(text.replace(text.find(from), from.size(), to));
  };
  expect_refused(changed("\"image_id\": 4", "\"image_id\": 5"), "entry 1 is of image 5, which");
  expect_refused(changed("90", "91"), "entry 1 is of category 91, which");
  expect_refused(changed("0.25", "NaN"), "is not JSON in entry 1");
  expect_refused(changed("0.25", "-Infinity"), "is not JSON in entry 1");
  expect_refused(changed("0.25", "1e400"), "is not JSON in entry 1");
  expect_refused(changed("0.25", "\"high\""), "entry 1 has \"score\" that is not a number");
  expect_refused(changed("0.25", "null"), "entry 1 has \"score\" that is not a number");
  expect_refused(changed(", \"score\": 0.25", ""), "entry 1 has no \"score\"");
  expect_refused(changed("3, 4]", "-3, 4]"), "entry 1 has a box of -3 x 4");
  expect_refused(changed("3, 4]", "3, -4]"), "entry 1 has a box of 3 x -4");
  expect_refused(changed("3, 4]", "3]"), "entry 1 has \"bbox\" that is not a list of four");
  expect_refused(changed("bbox", "box"), "entry 1 has no \"bbox\"");
  expect_refused(with("[]"), "entry 1 is not an object");
  expect_refused(with(sound).substr(0, 120), "is not JSON in entry 1");
  expect_refused(R"({"annotations": []})", "is not a list");
  expect_refused("7", "is not a list");
  expect_raises(Fault::data, {"none.json"}, [&] { scorer_of(truth_, folder_ / "none.json"); });
}

}  // namespace
}  // namespace convoy::test
