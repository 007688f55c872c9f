// The fixtures are pycocotools' (tests/fixtures/make_coco_scores.py).
#include "boxes/coco_score.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "boxes/coco_results.h"
#include "support/allocations.h"
#include "support/fixture.h"
#include "support/session.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

constexpr double tolerance = 1e-9;

class CocoScoreFixtures : public testing::TestWithParam<std::string> {
 protected:
  CocoScoreFixtures() : case_(fixture("coco_scores/" + GetParam())) {
    write(folder_ / "truth.json", case_.at("annotations").dump());
    write(folder_ / "results.json", case_.at("results").dump());
    truth_ = read_coco_annotations(folder_ / "truth.json");
  }
  static void write(const fs::path& file, const std::string& text) {
    write_atomically(file, text, Fault::bug);
  }
  CocoScorer scorer() const { return scorer_of(truth_, folder_ / "results.json"); }

  TempFolder folder_;
  Json case_;
  CocoAnnotations truth_;
};

TEST_P(CocoScoreFixtures, HaveTheNumbersOfPycocotools) {
  const CocoScore score = scorer().score(pool(2));
  for (size_t i = 0; i < coco_numbers; ++i) {
    const std::string key(coco_number_names()[i].key);
    EXPECT_NEAR(score.numbers[i], case_["expected"]["numbers"].at(key).get<double>(), tolerance)
        << key;
  }
  const Json& classes = case_["expected"]["classes"];
  ASSERT_EQ(score.categories.size(), classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    SCOPED_TRACE(truth_.categories[i].name);
    EXPECT_NEAR(score.categories[i].ap, classes[i][0].get<double>(), tolerance);
    EXPECT_NEAR(score.categories[i].ap50, classes[i][1].get<double>(), tolerance);
    EXPECT_NEAR(score.categories[i].ar100, classes[i][2].get<double>(), tolerance);
  }
}

TEST_P(CocoScoreFixtures, DoNotDependOnThreads) {
  const CocoScorer all = scorer();
  const CocoScore one = all.score(pool(1)), four = all.score(pool(4));
  EXPECT_EQ(one.numbers, four.numbers);
  EXPECT_EQ(one.precisions, four.precisions);
}

INSTANTIATE_TEST_SUITE_P(Cases, CocoScoreFixtures, testing::ValuesIn(fixtures_in("coco_scores")),
                         [](const auto& about) { return about.param; });

CocoTruth square(double x, double side, int category = 0) {
  return {x, 0, side, side, side * side, category};
}
CocoDetection found(double x, double side, double score, int category = 0) {
  return {x, 0, side, side, score, category};
}

struct Scene {
  std::vector<CocoTruth> truths;
  std::vector<CocoDetection> detections;
};

Scene random_scene(uint64_t key) {
  Random random(random_key(3, Purpose::generated, key));
  const auto draw = [&](int64_t most) {
    return static_cast<int64_t>(random.below(static_cast<uint32_t>(most)));
  };
  Scene scene;
  for (int64_t i = draw(9); i > 0; --i) {
    scene.truths.push_back(square(static_cast<double>(draw(50)), static_cast<double>(10 + draw(90)),
                                  static_cast<int>(draw(3))));
    scene.truths.back().crowd = draw(6) == 0;
  }
  for (int64_t i = draw(40); i > 0; --i) {
    scene.detections.push_back(found(static_cast<double>(draw(50)),
                                     static_cast<double>(10 + draw(90)),
                                     static_cast<double>(draw(4)) / 4, static_cast<int>(draw(3))));
  }
  return scene;
}

TEST(CocoScorer, DoesNotDependOnTheOrderInWhichImagesAreAdded) {
  constexpr int64_t images = 60;
  CocoScorer forward(3), backward(3);
  for (int64_t i = 0; i < images; ++i) {
    const Scene first = random_scene(static_cast<uint64_t>(i));
    forward.add(i, first.truths, first.detections);
    const Scene last = random_scene(static_cast<uint64_t>(images - 1 - i));
    backward.add(images - 1 - i, last.truths, last.detections);
  }
  const CocoScore a = forward.score(pool(2)), b = backward.score(pool(3));
  EXPECT_GT(a[CocoNumber::ap], 0);
  EXPECT_LT(a[CocoNumber::ap], 0.9);
  EXPECT_EQ(a.numbers, b.numbers);
  EXPECT_EQ(a.precisions, b.precisions);
}

TEST(CocoScorer, CountsWhatThereIs) {
  CocoScorer scorer(3);
  std::vector<CocoTruth> truths{square(0, 10), square(50, 10), square(90, 10, 2)};
  truths[1].crowd = true;
  const std::vector<CocoDetection> detections(150, found(0, 10, 0.5));
  scorer.add(1, truths, detections);
  scorer.add(2, {}, {});
  const CocoScore score = scorer.score(pool(1));
  ASSERT_EQ(score.categories.size(), 3u);
  EXPECT_EQ(score.categories[0].objects, 1);
  EXPECT_EQ(score.categories[0].crowds, 1);
  EXPECT_EQ(score.categories[0].detections, 150);
  EXPECT_EQ(score.categories[1].ap, -1);
  EXPECT_EQ(score.categories[2].ap, 0);
  EXPECT_NEAR(score.categories[0].ap, 1, tolerance);
  EXPECT_NEAR(score[CocoNumber::ap], 0.5, tolerance);
}

TEST(CocoScorer, NothingGivesNoNumbers) {
  const CocoScore none = CocoScorer(0).score(pool(2));
  for (const double number : none.numbers) EXPECT_EQ(number, -1);
  CocoScorer empty(4);
  empty.add(7, {}, {});
  for (const double number : empty.score(pool(2)).numbers) EXPECT_EQ(number, -1);
}

TEST(CocoScorer, ACategoryOutOfRangeIsOurMistake) {
  CocoScorer scorer(1);
  const std::vector<CocoTruth> truths{square(0, 10, 1)};
  EXPECT_THROW(scorer.add(1, truths, {}), Error);
}

TEST(CocoCeiling, IsOneForSoundTruth) {
  CocoScorer scorer(3);
  for (int64_t i = 0; i < 40; ++i) {
    scorer.add(i, random_scene(static_cast<uint64_t>(i)).truths, {});
  }
  const CocoCeiling ceiling = scorer.ceiling(pool(2));
  EXPECT_NEAR(ceiling.ap, 1, tolerance);
  EXPECT_TRUE(ceiling.is_reached_by_truth());
  EXPECT_EQ(ceiling.empty + ceiling.over_limit, 0);
}

TEST(CocoCeiling, SaysWhatCannotBeFound) {
  CocoScorer scorer(1);
  std::vector<CocoTruth> truths;
  for (int i = 0; i < 130; ++i) truths.push_back(square(20 * i, 10));
  truths[3].width = 0;
  scorer.add(1, truths, {});
  const CocoCeiling ceiling = scorer.ceiling(pool(1));
  EXPECT_FALSE(ceiling.is_reached_by_truth());
  EXPECT_EQ(ceiling.empty, 1);
  EXPECT_EQ(ceiling.over_limit, 30);
  EXPECT_NEAR(ceiling.ap, 77.0 / 101, 0.011);  // 99 of 130 are found
}

TEST(CocoScorer, AMillionObjectsTakeSecondsAndLittleMemory) {
  constexpr int objects = 1'000'000;
  std::vector<CocoTruth> truths;
  for (int i = 0; i < objects; ++i) truths.push_back(square(11.0 * i, 10));
  std::vector<CocoDetection> detections;
  for (int i = 0; i < 200; ++i) detections.push_back(found(110'000.0 * i, 10, 0.5));
  CocoScorer scorer(1);
  scorer.add(1, truths, detections);
  const AllocationCounter counter;
  const CocoScore score = scorer.score(pool(2));
  EXPECT_LT(counter.bytes(), 20 * objects);
  EXPECT_NEAR(score[CocoNumber::ar100], 100.0 / objects, tolerance);
}

// The arrays of an .npz archive without compression, as numbers.
std::vector<std::vector<double>> arrays_of(const std::string& archive) {
  std::vector<std::vector<double>> arrays;
  const std::string magic("\x93NUMPY\x01\x00", 8);
  for (size_t at = archive.find(magic); at != archive.npos; at = archive.find(magic, at + 1)) {
    uint16_t header = 0;
    std::memcpy(&header, archive.data() + at + magic.size(), sizeof header);
    const size_t begin = at + magic.size() + sizeof header + header;
    // The header names the shape: (84, 35, 5).
    const std::string text = archive.substr(at + 10, header);
    size_t count = 1;
    for (size_t p = text.find('(') + 1; text[p] != ')' && text[p] != '}';) {
      size_t used = 0;
      count *= std::stoul(text.substr(p), &used);
      p += used;
      while (text[p] == ',' || text[p] == ' ') ++p;
    }
    arrays.emplace_back(count);
    std::memcpy(arrays.back().data(), archive.data() + begin, count * sizeof(double));
  }
  return arrays;
}

TEST(CocoScore, ReproducesTheNumbersOfKerasCv) {
  const auto folder = shared_data("detection_oracle/kerascv");
  if (!folder) GTEST_SKIP();
  const auto arrays = arrays_of(read_file(*folder / "sample_boxes.npz", Fault::bug));
  ASSERT_EQ(arrays.size(), 2u);
  constexpr size_t images = 84, rows = 35;
  ASSERT_EQ(arrays[0].size(), images * rows * 5);
  ASSERT_EQ(arrays[1].size(), images * rows * 6);
  CocoScorer scorer(100);
  for (size_t image = 0; image < images; ++image) {
    Scene scene;
    for (size_t row = 0; row < rows; ++row) {
      const double* t = &arrays[0][(image * rows + row) * 5];
      const double* d = &arrays[1][(image * rows + row) * 6];
      if (t[4] >= 0) {
        scene.truths.push_back({t[0], t[1], t[2], t[3], t[2] * t[3], static_cast<int>(t[4])});
      }
      if (d[4] >= 0) {
        scene.detections.push_back({d[0], d[1], d[2], d[3], d[5], static_cast<int>(d[4])});
      }
    }
    scorer.add(static_cast<int64_t>(image), scene.truths, scene.detections);
  }
  const Json expected = Json::parse(read_file(*folder / "expected.json", Fault::bug));
  const CocoScore score = scorer.score(pool(2));
  const char* names[]{"AP",  "AP50", "AP75",  "AP_small", "AP_medium", "AP_large",
                      "AR1", "AR10", "AR100", "AR_small", "AR_medium", "AR_large"};
  for (size_t i = 0; i < coco_numbers; ++i) {
    EXPECT_NEAR(score.numbers[i], expected.at(names[i]).get<double>(), 1e-8) << names[i];
  }
}

}  // namespace
}  // namespace convoy::test
