#include "ops/loss/cross_entropy.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/cases.h"
#include "support/session.h"

namespace convoy::test {
namespace {

// -sum over classes of target * log(softmax), with the targets written out.
double plain_cross_entropy(std::span<const double> logits, size_t label, double smoothing,
                           ops::Smoothing kind) {
  const auto classes = static_cast<double>(logits.size());
  const double top = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double v : logits) sum += std::exp(v - top);
  double loss = 0;
  for (size_t k = 0; k < logits.size(); ++k) {
    double target = 0;
    if (kind == ops::Smoothing::uniform) {
      target = (k == label ? 1 - smoothing : 0) + smoothing / classes;
    } else {
      target = k == label ? 1 - smoothing : smoothing / (classes - 1);
    }
    loss -= target * (logits[k] - top - std::log(sum));
  }
  return loss;
}

OpCase cross_entropy_case(int64_t rows, int64_t classes, float smoothing, ops::Smoothing kind,
                          double size = 3) {
  return {
      .name = fmt::format("cross entropy {}x{} smoothing {} {} size {}", rows, classes, smoothing,
                          kind == ops::Smoothing::uniform ? "uniform" : "others", size),
      .inputs =
          {{.shape = {rows, classes}, .low = -size, .high = size},
           {.shape = {rows}, .low = 0, .high = static_cast<double>(classes), .dtype = DType::s32}},
      .build =
          [=](Builder& b, std::span<const Value> in) {
            return ops::softmax_cross_entropy(b, in[0], in[1],
                                              {.smoothing = smoothing, .kind = kind});
          },
      .reference =
          [=](std::span<const Doubles> in) {
            Doubles out;
            const auto k = static_cast<size_t>(classes);
            for (size_t n = 0; n < in[1].size(); ++n) {
              out.push_back(plain_cross_entropy(std::span(in[0]).subspan(n * k, k),
                                                static_cast<size_t>(in[1][n]),
                                                static_cast<double>(smoothing), kind));
            }
            return out;
          }};
}

OpCase rank_case(int64_t rows, int64_t classes) {
  return {.name = fmt::format("label rank {}x{}", rows, classes),
          .inputs = {{.shape = {rows, classes}},
                     {.shape = {rows},
                      .low = 0,
                      .high = static_cast<double>(classes),
                      .dtype = DType::s32}},
          .build = [](Builder& b,
                      std::span<const Value> in) { return ops::label_rank(b, in[0], in[1]); },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                const auto k = static_cast<size_t>(classes);
                for (size_t n = 0; n < in[1].size(); ++n) {
                  const auto row = in[0].begin() + static_cast<int64_t>(n * k);
                  const double mine = row[static_cast<int64_t>(in[1][n])];
                  out.push_back(static_cast<double>(
                      std::count_if(row, row + classes, [&](double v) { return v > mine; })));
                }
                return out;
              },
          .gradient = false};
}

std::vector<OpCase> cross_entropy_cases() {
  using ops::Smoothing;
  return {cross_entropy_case(4, 10, 0, Smoothing::uniform),
          cross_entropy_case(20, 10, 0.1f, Smoothing::uniform),
          cross_entropy_case(20, 10, 0.1f, Smoothing::others),
          cross_entropy_case(4, 1000, 0.1f, Smoothing::uniform),
          cross_entropy_case(8, 2, 0.3f, Smoothing::others),
          cross_entropy_case(8, 10, 0.1f, Smoothing::uniform, 500),
          rank_case(8, 10),
          rank_case(3, 100)};
}

const RegisteredOps registered(ops_of<cross_entropy_cases>);

TEST(CrossEntropyOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : cross_entropy_cases()) check(c);
}

// One row through an op with a label.
using WithLabel = Value (*)(Builder&, Value logits, Value label);
float value_of(WithLabel op, const std::vector<float>& logits, int32_t label) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{1, static_cast<int64_t>(logits.size())}});
  b.output("y", op(b, x, b.input("label", {{1}, DType::s32})));
  Session session(plan(std::move(graph)));
  session.bind("x", logits.data());
  session.bind("label", &label);
  session.run();
  return session.output("y")[0];
}
Value plain_loss(Builder& b, Value logits, Value label) {
  return ops::softmax_cross_entropy(b, logits, label);
}

TEST(CrossEntropyOp, HugeLogitsDoNotOverflow) {
  EXPECT_FLOAT_EQ(value_of(plain_loss, {1e30f, 0, -1e30f}, 0), 0);
  EXPECT_FLOAT_EQ(value_of(plain_loss, {1e30f, 0, -1e30f}, 1), 1e30f);
  EXPECT_FLOAT_EQ(value_of(plain_loss, {-1e30f, -1e30f}, 1), std::log(2.0f));
}

TEST(CrossEntropyOp, NaNComesThrough) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t place = 0; place < 3; ++place) {
    std::vector<float> logits{1, 2, 3};
    logits[place] = nan;
    EXPECT_TRUE(std::isnan(value_of(plain_loss, logits, 0))) << place;
  }
}

TEST(CrossEntropyOp, ALabelThatIsNoClassIsAFaultOfTheData) {
  for (const int32_t label : {-1, 3, 1000000}) {
    try {
      value_of(plain_loss, {1, 2, 3}, label);
      ADD_FAILURE() << label << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::data);
    }
    EXPECT_THROW(value_of(ops::label_rank, {1, 2, 3}, label), Error);
  }
}

TEST(CrossEntropyOp, EqualLogitsRankInFavourOfTheLowerClass) {
  EXPECT_EQ(value_of(ops::label_rank, {5, 5, 5, 5}, 0), 0);
  EXPECT_EQ(value_of(ops::label_rank, {5, 5, 5, 5}, 2), 2);
  EXPECT_EQ(value_of(ops::label_rank, {5, 7, 5, 5}, 0), 1);
}

TEST(CrossEntropyOp, ANaNNeverCountsAsAHit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(value_of(ops::label_rank, {nan, nan, nan}, 0), 2);
  EXPECT_EQ(value_of(ops::label_rank, {9, nan, 1}, 0), 1);
  EXPECT_EQ(value_of(ops::label_rank, {9, nan, 1}, 1), 2);
}

TEST(CrossEntropyOp, RefusesLabelsThatDoNotFit) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{4, 10}});
  EXPECT_THROW(plain_loss(b, x, b.input("label", {{3}, DType::s32})), Error);
  EXPECT_THROW(plain_loss(b, x, b.input("label", {{4}})), Error);
  EXPECT_THROW(plain_loss(b, b.input("image", {{4, 2, 5, 1}}), b.input("label", {{4}, DType::s32})),
               Error);
}

TEST(CrossEntropyOp, TheGradientStartsAsAMeanOverAReplica) {
  for (const int replicas : {1, 2, 4}) {
    Graph graph;
    graph.replicas = replicas;
    Builder b(graph);
    const Value per_sample = b.input("loss", {{8}}), scale = b.input("scale", {Shape{}});
    b.output("seed", ops::loss_seed(b, per_sample, scale, 0.5f));
    Session session(plan(std::move(graph)));
    const std::vector<float> loss(8, 3.0f);
    const float factor = 1024;
    session.bind("loss", loss.data());
    session.bind("scale", &factor);
    session.run();
    for (const float v : session.output("seed"))
      EXPECT_FLOAT_EQ(v, 0.5f * 1024 / (8.0f / static_cast<float>(replicas)));
  }
}

}  // namespace
}  // namespace convoy::test
