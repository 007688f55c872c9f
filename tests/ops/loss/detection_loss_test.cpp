#include "ops/loss/detection_loss.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "ops/cases.h"
#include "support/raises.h"
#include "support/session.h"

namespace convoy::test {
namespace {

// One sample, as the definition has it: a stable sort of all boxes.
struct PlainSample {
  std::span<const double> logits, codes, classes, targets;

  size_t boxes() const { return classes.size(); }
  double entropy(size_t box) const {
    const size_t k = logits.size() / boxes();
    const auto row = logits.subspan(box * k, k);
    double sum = 0;
    for (const double v : row) sum += std::exp(v - row[static_cast<size_t>(classes[box])]);
    return std::log(sum);
  }
  double loss(size_t negatives) const {
    std::vector<double> hardness, times;
    for (size_t i = 0; i < boxes(); ++i) {
      hardness.push_back(classes[i] > 0 ? 0 : entropy(i));
      times.push_back(classes[i] > 0 ? 1 : 0);
    }
    const double matched = std::accumulate(times.begin(), times.end(), 0.0);
    if (matched == 0) return 0;
    std::vector<size_t> rank(boxes());
    std::iota(rank.begin(), rank.end(), size_t{0});
    std::ranges::stable_sort(rank, std::greater<>(), [&](size_t i) { return hardness[i]; });
    rank.resize(std::min(rank.size(), negatives * static_cast<size_t>(matched)));
    for (const size_t i : rank) times[i] += 1;
    double sum = 0;
    for (size_t i = 0; i < boxes(); ++i) {
      sum += times[i] * entropy(i);
      for (size_t k = 4 * i; classes[i] > 0 && k < 4 * i + 4; ++k) {
        const double e = std::abs(codes[k] - targets[k]);
        sum += e <= 1 ? e * e / 2 : e - 0.5;
      }
    }
    return sum / matched;
  }
};

Doubles plain_loss(std::span<const Doubles> in, size_t samples, size_t negatives) {
  Doubles losses;
  for (size_t i = 0; i < samples; ++i) {
    const auto part = [&](size_t input) {
      const size_t each = in[input].size() / samples;
      return std::span(in[input]).subspan(i * each, each);
    };
    losses.push_back(PlainSample{part(0), part(1), part(2), part(3)}.loss(negatives));
  }
  return losses;
}

// Classes are drawn from [0, most): matched boxes are rare if `most` is just above 1.
OpCase loss_case(int64_t n, int64_t boxes, int64_t classes, double most, int64_t negatives = 3) {
  return {.name = fmt::format("detection loss {}x{}x{}, classes below {}, {} negatives", n, boxes,
                              classes, most, negatives),
          .inputs = {{.shape = {n, boxes, classes}, .low = -3, .high = 3},
                     {.shape = {n, boxes, 4}, .low = -2, .high = 2},
                     {.shape = {n, boxes}, .low = 0, .high = most, .dtype = DType::s32},
                     {.shape = {n, boxes, 4}, .low = -2, .high = 2, .fixed = true}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                return ops::detection_loss(b, in[0], in[1], in[2], in[3], {negatives}).loss;
              },
          .reference =
              [=](std::span<const Doubles> in) {
                return plain_loss(in, static_cast<size_t>(n), static_cast<size_t>(negatives));
              }};
}

std::vector<OpCase> detection_loss_cases() {
  return {loss_case(4, 40, 5, 1.1),     loss_case(2, 30, 4, 4),      loss_case(4, 700, 3, 1.02),
          loss_case(1, 1100, 21, 1.05), loss_case(2, 50, 5, 1.2, 1), loss_case(2, 16, 2, 2)};
}

const RegisteredOps registered(ops_of<detection_loss_cases>);

TEST(DetectionLossOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : detection_loss_cases()) check(c);
}

// A run of the op on one sample, with the gradients of its two inputs.
struct LossRun {
  int64_t boxes, classes;
  std::vector<float> logits, codes, targets;
  std::vector<int32_t> labels;

  LossRun(int64_t n, int64_t k)
      : boxes(n),
        classes(k),
        logits(static_cast<size_t>(n * k)),
        codes(static_cast<size_t>(n * 4)),
        targets(codes.size()),
        labels(static_cast<size_t>(n)) {}

  struct Result {
    float loss;
    std::vector<float> d_logits, d_codes;
  };
  Result run(int threads = 2) const {
    Graph graph;
    Builder b(graph);
    const Value x = b.param("logits", {1, boxes, classes}, {});
    const Value y = b.param("codes", {1, boxes, 4}, {});
    const Value label = b.input("labels", {{1, boxes}, DType::s32});
    const Value loss =
        ops::detection_loss(b, x, y, label, b.input("targets", {{1, boxes, 4}})).loss;
    b.output("loss", loss);
    const Value scale = b.input("scale", {Shape{}});
    Session session(plan(std::move(graph), {{loss}}, scale));
    std::ranges::copy(logits, session.param("logits").begin());
    std::ranges::copy(codes, session.param("codes").begin());
    const float one = 1;
    session.bind("scale", &one);
    session.bind("labels", labels.data());
    session.bind("targets", targets.data());
    session.run(threads);
    const auto d_logits = session.grad("logits"), d_codes = session.grad("codes");
    return {session.output("loss")[0],
            {d_logits.begin(), d_logits.end()},
            {d_codes.begin(), d_codes.end()}};
  }
  // The boxes whose cross-entropy has a gradient.
  std::vector<int64_t> chosen() const {
    const Result result = run();
    std::vector<int64_t> all;
    for (int64_t i = 0; i < boxes; ++i) {
      const auto row = std::span(result.d_logits)
                           .subspan(static_cast<size_t>(i * classes), static_cast<size_t>(classes));
      if (std::ranges::any_of(row, [](float v) { return v != 0; })) all.push_back(i);
    }
    return all;
  }
};

TEST(DetectionLossOp, OfEquallyHardBoxesTheFirstAreTaken) {
  LossRun one(100, 3);
  one.labels[50] = 2;
  EXPECT_EQ(one.chosen(), (std::vector<int64_t>{0, 1, 2, 50}));
  one.logits[3 * 70] = -5;  // background box 70 is the hardest
  one.logits[3 * 80] = -1;
  EXPECT_EQ(one.chosen(), (std::vector<int64_t>{0, 50, 70, 80}));
}

TEST(DetectionLossOp, AMatchedBoxCountsTwiceWhereBackgroundRunsOut) {
  LossRun one(4, 2);
  one.labels = {1, 0, 1, 0};
  // All cross-entropies are log 2: two matched boxes, twice each, and two background boxes.
  EXPECT_FLOAT_EQ(one.run().loss, 6 * std::log(2.0f) / 2);
  // min(3 * 1, 4) taken: the background boxes and no matched one, or the first box of two equals.
  one.labels = {0, 1, 0, 0};
  EXPECT_FLOAT_EQ(one.run().loss, 4 * std::log(2.0f));
  // Box 3 is certain background: its cross-entropy is 0 as that of the matched box, which is first.
  one.logits[6] = 200;
  EXPECT_FLOAT_EQ(one.run().loss, 4 * std::log(2.0f));
}

TEST(DetectionLossOp, WithoutMatchedBoxesThereIsNoLossAndNoGradient) {
  LossRun one(20, 3);
  one.logits[7] = 3;
  one.codes[5] = 9;
  const LossRun::Result result = one.run();
  EXPECT_EQ(result.loss, 0);
  EXPECT_TRUE(std::ranges::all_of(result.d_logits, [](float v) { return v == 0; }));
  EXPECT_TRUE(std::ranges::all_of(result.d_codes, [](float v) { return v == 0; }));
}

TEST(DetectionLossOp, AsManyBoxesAsSSDHasGiveTheSameBitsOnAnyThreads) {
  LossRun one(8732, 81);
  Random random(7);
  for (float& v : one.logits) v = static_cast<float>(random.uniform() * 4 - 2);
  for (float& v : one.codes) v = static_cast<float>(random.uniform() * 4 - 2);
  for (size_t i = 0; i < one.labels.size(); i += 97) {
    one.labels[i] = static_cast<int32_t>(1 + random.below(80));
  }
  const LossRun::Result first = one.run(1);
  const auto as_doubles = [](const auto& v) { return Doubles(v.begin(), v.end()); };
  const Doubles logits = as_doubles(one.logits), codes = as_doubles(one.codes),
                labels = as_doubles(one.labels), targets = as_doubles(one.targets);
  EXPECT_NEAR(first.loss, (PlainSample{logits, codes, labels, targets}.loss(3)), 1e-5);
  for (const int threads : {2, 3, 8}) {
    const LossRun::Result again = one.run(threads);
    EXPECT_EQ(again.loss, first.loss);
    EXPECT_EQ(again.d_logits, first.d_logits);
    EXPECT_EQ(again.d_codes, first.d_codes);
  }
}

TEST(DetectionLossOp, ANaNInABackgroundBoxIsSeen) {
  for (const float nan :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
    LossRun one(500, 3);
    one.labels[499] = 1;
    one.logits[3 * 321 + 1] = nan;
    EXPECT_TRUE(std::isnan(one.run().loss));
  }
}

TEST(DetectionLossOp, AClassThatDoesNotExistIsAFaultOfTheData) {
  for (const int32_t label : {-1, 3}) {
    LossRun one(10, 3);
    one.labels[4] = label;
    expect_raises(Fault::data, {"3 classes"}, [&] { one.run(); });
  }
}

TEST(DetectionLossOp, RefusesTargetsThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const Value logits = b.input("x", {{2, 6, 3}}), codes = b.input("y", {{2, 6, 4}});
  const Value label = b.input("label", {{2, 6}, DType::s32});
  expect_raises(Fault::usage, {"2x6x3", "2x5x4"}, [&] {
    ops::detection_loss(b, logits, codes, label, b.input("t", {{2, 5, 4}}));
  });
  expect_raises(Fault::usage, {"2x6x3"},
                [&] { ops::detection_loss(b, logits, logits, label, codes); });
}

}  // namespace
}  // namespace convoy::test
