#include "boxes/detector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "fixtures/formula.h"
#include "support/fixture.h"

namespace convoy {
namespace {

using nlohmann::json;

// Two cells of two shapes each.
const DefaultBoxSpec tiny{.image = 64,
                          .maps = {{.cells = 1, .step = 64, .shapes = ssd_shapes(64, 32, 50, {})}}};

DefaultBoxSpec spec_of(const json& test) {
  DefaultBoxSpec spec{.image = test.at("image"), .maps = {}};
  for (const json& map : test.at("maps")) {
    spec.maps.push_back(
        {map[0], map[1],
         ssd_shapes(spec.image, map[2], map[3], map[4].get<std::vector<double>>())});
  }
  return spec;
}

// The network's outputs for one image of a fixture.
struct Outputs {
  std::vector<float> logits, codes;

  Outputs(const json& test, int64_t boxes) {
    const uint64_t seed = test.at("seed");
    const int64_t classes = test.at("classes");
    Random of_logits = test::formula::sequence(seed, "logits");
    for (int64_t i = 0; i < boxes * classes; ++i) {
      const double background = i % classes == 0 ? test.at("background").get<double>() : 0;
      const double logit = test.at("logit").get<double>() * test::formula::spread(of_logits);
      logits.push_back(static_cast<float>(logit + background));
    }
    Random of_codes = test::formula::sequence(seed, "codes");
    for (int64_t i = 0; i < boxes * 4; ++i) {
      codes.push_back(
          static_cast<float>(test.at("code").get<double>() * test::formula::spread(of_codes)));
    }
  }
};

void expect_near(const Detection& got, const json& wanted) {
  EXPECT_EQ(got.label, wanted[0]);
  EXPECT_NEAR(got.score, wanted[1].get<double>(), 1e-6);
  EXPECT_NEAR(got.box.ymin, wanted[2].get<double>(), 2e-6);
  EXPECT_NEAR(got.box.xmin, wanted[3].get<double>(), 2e-6);
  EXPECT_NEAR(got.box.ymax, wanted[4].get<double>(), 2e-6);
  EXPECT_NEAR(got.box.xmax, wanted[5].get<double>(), 2e-6);
}

bool same(const Detection& a, const Detection& b) {
  return a.box == b.box && a.label == b.label && a.score == b.score;
}

TEST(Detector, FindsWhatAnIndependentImplementationFinds) {
  const json fixture = test::fixture("detections");
  for (const json& test : fixture.at("cases")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    const DefaultBoxes boxes(spec_of(test));
    const Outputs outputs(test, boxes.count());
    Detector detector(boxes, test.at("classes"),
                      {.min_score = test.at("min_score").get<float>(),
                       .max_overlap = test.at("max_overlap").get<float>(),
                       .class_candidates = test.at("class_candidates"),
                       .image_detections = test.at("image_detections")});
    ThreadPool pool(2);
    const auto found = detector.detect(outputs.logits.data(), outputs.codes.data(), 1, pool)[0];
    const json& wanted = test.at("detections");
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) expect_near(found[i], wanted[i]);
  }
}

TEST(Detector, GivesTheSameForAnyThreadsAndAnyBatch) {
  const json test = test::fixture("detections").at("cases")[0];
  const DefaultBoxes boxes(spec_of(test));
  const Outputs one(test, boxes.count());
  // The second image is the first one with its default boxes moved on by one.
  Outputs both = one;
  const auto append_turned = [](std::vector<float>& values, int64_t each) {
    const std::vector<float> first = values;
    values.insert(values.end(), first.begin() + each, first.end());
    values.insert(values.end(), first.begin(), first.begin() + each);
  };
  append_turned(both.logits, test.at("classes"));
  append_turned(both.codes, 4);
  std::vector<std::vector<Detection>> wanted;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    Detector detector(boxes, test.at("classes"));
    for (int repeat = 0; repeat < 2; ++repeat) {
      const auto found = detector.detect(both.logits.data(), both.codes.data(), 2, pool);
      if (wanted.empty()) wanted.assign(found.begin(), found.end());
      ASSERT_EQ(found.size(), 2u);
      for (size_t n = 0; n < 2; ++n) {
        EXPECT_TRUE(std::ranges::equal(found[n], wanted[n], same));
      }
    }
    const auto alone = detector.detect(one.logits.data(), one.codes.data(), 1, pool);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_TRUE(std::ranges::equal(alone[0], wanted[0], same));
  }
  EXPECT_FALSE(std::ranges::equal(wanted[0], wanted[1], same));
}

// Logits whose softmax is about `scores`, the rest being background.
std::vector<float> logits_of(const std::vector<std::vector<double>>& scores) {
  std::vector<float> logits;
  for (const std::vector<double>& box : scores) {
    double rest = 1;
    for (const double score : box) rest -= score;
    logits.push_back(static_cast<float>(std::log(rest)));
    for (const double score : box) logits.push_back(static_cast<float>(std::log(score)));
  }
  return logits;
}

TEST(Detector, OfEqualScoresTheLowerClassAndDefaultBoxComeFirst) {
  const DefaultBoxes boxes(tiny);
  ASSERT_EQ(boxes.count(), 2);
  // Both boxes have the same centre; a code moves the second one away.
  const std::vector<float> codes{0, 0, 0, 0, 30, 30, 0, 0};
  const std::vector<float> logits = logits_of({{0.3, 0.4}, {0.4, 0.3}});
  ThreadPool pool(1);
  Detector all(boxes, 3);
  const auto found = all.detect(logits.data(), codes.data(), 1, pool)[0];
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].label, 1);
  EXPECT_EQ(found[1].label, 2);
  EXPECT_EQ(found[0].score, found[1].score);
  EXPECT_GT(found[0].box.ymin, found[1].box.ymin);  // the second box has the higher score there
  EXPECT_EQ(found[2].label, 1);
  EXPECT_EQ(found[3].label, 2);
  // The same score in one class.
  const std::vector<float> equal = logits_of({{0.4}, {0.4}});
  Detector best(boxes, 2, {.class_candidates = 1});
  const auto first = best.detect(equal.data(), codes.data(), 1, pool)[0];
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].box, decode(boxes.centred()[0], codes.data()));
}

TEST(Detector, CandidatesAreCountedBeforeTheSuppression) {
  const DefaultBoxes boxes(tiny);
  const std::vector<float> logits = logits_of({{0.5}, {0.4}});
  // The second code makes the second box as large as the first one: they overlap wholly.
  const float shrink = size_code_scale * std::log(boxes.centred()[0].h / boxes.centred()[1].h);
  const std::vector<float> codes{0, 0, 0, 0, 0, 0, shrink, shrink};
  ThreadPool pool(1);
  Detector two(boxes, 2), strict(boxes, 2, {.min_score = 0.5001f});
  EXPECT_EQ(two.detect(logits.data(), codes.data(), 1, pool)[0].size(), 1u);
  EXPECT_TRUE(strict.detect(logits.data(), codes.data(), 1, pool)[0].empty());
  Detector lenient(boxes, 2, {.max_overlap = 1.1f});
  EXPECT_EQ(lenient.detect(logits.data(), codes.data(), 1, pool)[0].size(), 2u);
  Detector one(boxes, 2, {.max_overlap = 1.1f, .image_detections = 1});
  EXPECT_EQ(one.detect(logits.data(), codes.data(), 1, pool)[0].size(), 1u);
}

TEST(Detector, OutputsOfADivergedNetworkGiveNothing) {
  const DefaultBoxes boxes(tiny);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  const std::vector<float> sound_codes(8, 0.0f), sound_logits = logits_of({{0.5}, {0.4}});
  ThreadPool pool(1);
  Detector detector(boxes, 2, {.max_overlap = 1.1f});
  const auto found = [&](const std::vector<float>& logits, const std::vector<float>& codes) {
    return detector.detect(logits.data(), codes.data(), 1, pool)[0].size();
  };
  EXPECT_EQ(found(sound_logits, sound_codes), 2u);
  for (const float bad : {nan, inf}) {
    for (size_t at = 0; at < 2; ++at) {
      std::vector<float> logits = sound_logits;
      logits[at] = bad;
      EXPECT_EQ(found(logits, sound_codes), 1u) << bad << " at " << at;
    }
    for (size_t at = 0; at < 4; ++at) {
      std::vector<float> codes = sound_codes;
      codes[at] = bad;
      EXPECT_EQ(found(sound_logits, codes), 1u) << bad << " at " << at;
    }
  }
  std::vector<float> huge = sound_codes;
  huge[2] = 1e4f;  // e to the power of 2,000
  EXPECT_EQ(found(sound_logits, huge), 1u);
}

}  // namespace
}  // namespace convoy
