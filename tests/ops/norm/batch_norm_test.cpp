#include "ops/norm/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/random.h"
#include "ops/cases.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "support/session.h"

namespace convoy::test {
namespace {

constexpr float epsilon = 1e-3f;

// Mean and (biased) variance of each channel.
struct Moments {
  Doubles mean, variance;
};
Moments moments(const Shape& s, const Doubles& x) {
  Moments m;
  const auto count = static_cast<double>(s[0] * s[2] * s[3]);
  for (int64_t c = 0; c < s[1]; ++c) {
    double sum = 0, square = 0;
    for (int64_t n = 0; n < s[0]; ++n) {
      for (int64_t h = 0; h < s[2]; ++h) {
        for (int64_t w = 0; w < s[3]; ++w) sum += x[at(s, n, c, h, w)];
      }
    }
    for (int64_t n = 0; n < s[0]; ++n) {
      for (int64_t h = 0; h < s[2]; ++h) {
        for (int64_t w = 0; w < s[3]; ++w)
          square += std::pow(x[at(s, n, c, h, w)] - sum / count, 2);
      }
    }
    m.mean.push_back(sum / count);
    m.variance.push_back(square / count);
  }
  return m;
}

Doubles normalize(const Shape& s, const Doubles& x, const Moments& m, const Doubles& gamma,
                  const Doubles& beta) {
  Doubles y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = i / static_cast<size_t>(s[2] * s[3]) % static_cast<size_t>(s[1]);
    y[i] = (x[i] - m.mean[c]) / std::sqrt(m.variance[c] + epsilon) * gamma[c] + beta[c];
  }
  return y;
}

ops::BatchNormVars with_statistics(Builder& b, Value gamma, Value beta) {
  const Shape channels = b.shape(gamma);
  return {gamma, beta, b.stat("mean", channels, 0), b.stat("variance", channels, 1)};
}

enum class After { nothing, relu, add, add_relu, swish };
constexpr const char* names[] = {"", " + relu", " + add", " + add + relu", " + swish"};

Value finish(Builder& b, Value y, Value residual, After after) {
  if (after == After::add || after == After::add_relu) y = ops::add(b, residual, y);
  if (after == After::relu || after == After::add_relu) y = ops::relu(b, y);
  if (after == After::swish) y = ops::swish(b, y);
  return y;
}

Doubles finish(Doubles y, const Doubles& residual, After after) {
  for (size_t i = 0; i < y.size(); ++i) {
    if (after == After::add || after == After::add_relu) y[i] += residual[i];
    if (after == After::relu || after == After::add_relu) y[i] = std::max(y[i], 0.0);
    if (after == After::swish) y[i] /= 1 + std::exp(-y[i]);
  }
  return y;
}

OpCase train_case(const Shape& s, After after) {
  OpCase c{
      .name = "batch norm " + to_string(s) + names[static_cast<int>(after)],
      .inputs = {{.shape = s, .low = -2, .high = 3},
                 {.shape = {s[1]}, .low = 0.5, .high = 1.5, .shared = true},
                 {.shape = {s[1]}, .shared = true}},
      .build =
          [=](Builder& b, std::span<const Value> in) {
            const Value y =
                ops::batch_norm(b, in[0], with_statistics(b, in[1], in[2]), {.epsilon = epsilon});
            return finish(b, y, in.back(), after);
          },
      .reference =
          [=](std::span<const Doubles> in) {
            return finish(normalize(s, in[0], moments(s, in[0]), in[1], in[2]), in.back(), after);
          },
      .exact_without_fusion = true,
      .tolerance = 1e-5};
  if (after == After::add || after == After::add_relu) c.inputs.push_back({.shape = s});
  return c;
}

// The residual is another norm's output, as in a projection shortcut, and y has several readers: a
// sum of gradients meets a norm. Each norm has its own gamma and beta: those of one parameter with
// two readers are summed over the replicas first.
OpCase two_norms_case(const Shape& s) {
  const InputSpec gamma{.shape = {s[1]}, .low = 0.5, .high = 1.5, .shared = true};
  const InputSpec beta{.shape = {s[1]}, .shared = true};
  return {.name = "relu(norm(y) + norm(y * y)), y = relu(norm(x)) " + to_string(s),
          .inputs = {{.shape = s, .low = -2, .high = 3}, gamma, beta, gamma, beta, gamma, beta},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                const auto norm = [&](Value x, size_t i) {
                  const auto scope = b.scope(std::to_string(i));
                  return ops::batch_norm(b, x, with_statistics(b, in[i], in[i + 1]),
                                         {.epsilon = epsilon});
                };
                const Value y = ops::relu(b, norm(in[0], 1));
                return ops::relu(b, ops::add(b, norm(y, 3), norm(ops::multiply(b, y, y), 5)));
              },
          .reference =
              [=](std::span<const Doubles> in) {
                const auto norm = [&](const Doubles& x, size_t i) {
                  return normalize(s, x, moments(s, x), in[i], in[i + 1]);
                };
                const Doubles y = finish(norm(in[0], 1), {}, After::relu);
                Doubles squares;
                for (const double v : y) squares.push_back(v * v);
                return finish(norm(y, 3), norm(squares, 5), After::add_relu);
              },
          .exact_without_fusion = true,
          .tolerance = 1e-5};
}

OpCase eval_case(const Shape& s, After after) {
  OpCase c{.name = "batch norm in evaluation " + to_string(s) + names[static_cast<int>(after)],
           .inputs = {{.shape = s, .low = -2, .high = 3},
                      {.shape = {s[1]}, .low = 0.5, .high = 1.5, .shared = true},
                      {.shape = {s[1]}, .shared = true},
                      {.shape = {s[1]}, .shared = true, .fixed = true},
                      {.shape = {s[1]}, .low = 0.1, .high = 2, .shared = true, .fixed = true}},
           .build =
               [=](Builder& b, std::span<const Value> in) {
                 const Value y =
                     ops::batch_norm(b, in[0], {in[1], in[2], in[3], in[4]}, {.epsilon = epsilon});
                 return finish(b, y, in.back(), after);
               },
           .reference =
               [=](std::span<const Doubles> in) {
                 return finish(normalize(s, in[0], {in[3], in[4]}, in[1], in[2]), in.back(), after);
               },
           .train = false,
           .exact_without_fusion = true,
           .tolerance = 1e-5};
  if (after == After::add || after == After::add_relu) c.inputs.push_back({.shape = s});
  return c;
}

std::vector<OpCase> batch_norm_cases() {
  std::vector<OpCase> cases;
  for (const Shape& s :
       {Shape{4, 3, 4, 5}, Shape{8, 16, 3, 3}, Shape{2, 24, 7, 5}, Shape{5, 17, 1, 1}}) {
    for (const After after :
         {After::nothing, After::relu, After::add, After::add_relu, After::swish}) {
      cases.push_back(train_case(s, after));
      cases.push_back(eval_case(s, after));
    }
  }
  cases.push_back(train_case({40, 8, 6, 6}, After::relu));  // several planes a task
  cases.push_back(two_norms_case({4, 16, 4, 4}));
  cases.push_back(two_norms_case({4, 5, 3, 3}));
  return cases;
}

const RegisteredOps registered(ops_of<batch_norm_cases>);

TEST(BatchNormOp, AgreesWithPlainLoopsAloneAndFused) {
  for (const OpCase& c : batch_norm_cases()) check(c);
}

// A norm of x with its statistics, on its own.
std::unique_ptr<Session> norm_session(const Shape& s, int replicas, const std::vector<float>& x) {
  Graph graph;
  graph.replicas = replicas;
  Builder b(graph);
  const ops::BatchNormVars vars =
      with_statistics(b, b.param("gamma", {s[1]}, {Init::Kind::ones}), b.param("beta", {s[1]}, {}));
  b.output("y", ops::batch_norm(b, b.input("x", {s}), vars, {.epsilon = epsilon}));
  auto session = std::make_unique<Session>(plan(std::move(graph)));
  session->bind("x", x.data());
  session->run();
  return session;
}

std::vector<float> random_values(int64_t count, double middle, double width) {
  Random random(42);
  std::vector<float> x;
  for (int64_t i = 0; i < count; ++i)
    x.push_back(static_cast<float>(middle + width * (random.uniform() - 0.5)));
  return x;
}

TEST(BatchNormOp, FeedsTheMeanAndTheUnbiasedVariance) {
  const Shape s{4, 5, 3, 3};
  const std::vector<float> x = random_values(s.count(), 1, 4);
  const auto session = norm_session(s, 1, x);
  const Moments m = moments(s, {x.begin(), x.end()});
  for (size_t c = 0; c < 5; ++c) {
    EXPECT_NEAR(session->batch_stat("mean")[c], m.mean[c], 1e-5);
    EXPECT_NEAR(session->batch_stat("variance")[c], m.variance[c] * 36 / 35, 1e-5);
  }
}

TEST(BatchNormOp, KeepsTheStatisticsThatItIsToldTo) {
  const Shape s{4, 5, 3, 3};
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {s});
  const auto norm = [&](const char* name, Value in) {
    const auto scope = b.scope(name);
    const ops::BatchNormVars vars = with_statistics(b, b.param("gamma", {s[1]}, {Init::Kind::ones}),
                                                    b.param("beta", {s[1]}, {}));
    return ops::batch_norm(b, in, vars, {.epsilon = epsilon});
  };
  b.output("y", norm("second", norm("first", x)));
  ops::freeze_statistics(graph, [](const std::string& mean) { return mean == "first.mean"; });
  Session session(plan(std::move(graph)));
  const std::vector<float> values = random_values(s.count(), 1, 4);
  session.bind("x", values.data());
  session.run();
  // The first divides by a deviation of one; only the second has something to say.
  const StateLayout& layout = session.plan().state;
  for (const StateLayout::Slot& slot : layout.stats) {
    EXPECT_EQ(slot.rate, slot.name.starts_with("second") ? 1 : 0) << slot.name;
  }
  Doubles kept(values.begin(), values.end());
  for (double& v : kept) v /= std::sqrt(1.0 + static_cast<double>(epsilon));
  const Moments m = moments(s, kept);
  for (size_t c = 0; c < 5; ++c) {
    EXPECT_NEAR(session.batch_stat("second.mean")[c], m.mean[c], 1e-5);
  }
}

TEST(BatchNormOp, SumsTheStatisticsOfReplicas) {
  const Shape s{8, 5, 3, 3}, part{2, 5, 3, 3};
  const std::vector<float> x = random_values(s.count(), 1, 4);
  const auto together = norm_session(s, 4, x);
  std::vector<std::vector<float>> mean, variance;
  for (int64_t r = 0; r < 4; ++r) {
    const auto begin = x.begin() + r * part.count();
    const auto alone = norm_session(part, 1, {begin, begin + part.count()});
    mean.emplace_back(alone->batch_stat("mean").begin(), alone->batch_stat("mean").end());
    variance.emplace_back(alone->batch_stat("variance").begin(),
                          alone->batch_stat("variance").end());
  }
  for (size_t c = 0; c < 5; ++c) {  // a balanced tree, bit for bit
    EXPECT_EQ(together->batch_stat("mean")[c],
              (mean[0][c] + mean[1][c]) + (mean[2][c] + mean[3][c]));
    EXPECT_EQ(together->batch_stat("variance")[c],
              (variance[0][c] + variance[1][c]) + (variance[2][c] + variance[3][c]));
  }
}

TEST(BatchNormOp, ALargeMeanCostsNoDigitsOfTheVariance) {
  const Shape s{4, 3, 8, 8};
  const std::vector<float> x = random_values(s.count(), 1e3, 0.5);
  const auto session = norm_session(s, 1, x);
  const Moments m = moments(s, {x.begin(), x.end()});
  const Doubles want = normalize(s, {x.begin(), x.end()}, m, {1, 1, 1}, {0, 0, 0});
  const std::vector<float> have = session->output("y");
  for (size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(session->batch_stat("variance")[c], m.variance[c] * 256 / 255,
                1e-5 * m.variance[c]);
  // An input near 1000 is known to 3e-5; divided by the deviation of 0.15.
  for (size_t i = 0; i < have.size(); ++i) EXPECT_NEAR(have[i], want[i], 1e-3) << i;
}

TEST(BatchNormOp, FusesWithTheAdditionAndTheReLU) {
  Graph graph;
  Builder b(graph);
  const Value gamma = b.param("gamma", {16}, {}), beta = b.param("beta", {16}, {});
  const Value x = b.input("x", {{2, 16, 4, 4}}), r = b.input("r", {{2, 16, 4, 4}});
  const Value y = ops::batch_norm(b, x, with_statistics(b, gamma, beta));
  b.output("y", ops::relu(b, ops::add(b, y, r)));
  const Plan made = plan(std::move(graph));
  EXPECT_EQ(count_ops(made.graph, "batch_norm"), 1);
  EXPECT_EQ(count_ops(made.graph, "add"), 0);
  EXPECT_EQ(count_ops(made.graph, "relu"), 0);
}

TEST(BatchNormOp, DoesNotFuseWhatOthersRead) {
  Graph graph;
  Builder b(graph);
  const Value gamma = b.param("gamma", {16}, {}), beta = b.param("beta", {16}, {});
  const Value x = b.input("x", {{2, 16, 4, 4}});
  const Value y = ops::batch_norm(b, x, with_statistics(b, gamma, beta));
  b.output("y", y);
  b.output("z", ops::relu(b, y));
  EXPECT_EQ(count_ops(plan(std::move(graph)).graph, "relu"), 1);
}

TEST(BatchNormOp, NaNComesThroughAFusedReLU) {
  Graph graph;
  Builder b(graph, false);
  const Value gamma = b.param("gamma", {3}, {Init::Kind::ones}), beta = b.param("beta", {3}, {});
  const Value x = b.input("x", {{1, 3, 2, 2}});
  b.output("y", ops::relu(b, ops::batch_norm(b, x, with_statistics(b, gamma, beta))));
  Session session(plan(std::move(graph)));
  std::vector<float> values(12, 1.0f);
  values[6] = std::nanf("");
  session.bind("x", values.data());
  session.run();
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(std::isnan(session.output("y")[i]), i == 6) << i;
}

TEST(BatchNormOp, RefusesWhatMakesNoSense) {
  Graph graph;
  Builder b(graph);
  const Value gamma = b.param("gamma", {16}, {}), beta = b.param("beta", {16}, {});
  const auto vars = with_statistics(b, gamma, beta);
  EXPECT_THROW(ops::batch_norm(b, b.input("x", {{2, 8, 4, 4}}), vars), Error);
  EXPECT_THROW(ops::batch_norm(b, b.input("x", {{2, 16}}), vars), Error);
}

// The variance that a training graph gives for the running one, of pixels 1, 2, 3 and 6.
float fed_variance(bool biased, int replicas) {
  Graph graph;
  graph.replicas = replicas;
  Builder b(graph);
  const Value x = b.input("x", {{2 * replicas, 1, 1, 2}});
  const Value gamma = b.param("gamma", {1}, {}), beta = b.param("beta", {1}, {});
  b.output("y", ops::batch_norm(b, x, with_statistics(b, gamma, beta)));
  if (biased) ops::feed_biased_variances(graph);
  Session session(plan(std::move(graph)));
  const std::vector<float> pixels{1, 2, 3, 6, 1, 2, 3, 6};
  session.bind("x", pixels.data());
  session.run();
  return session.batch_stat("variance")[0];
}

TEST(BatchNormOp, FeedsTheUnbiasedVarianceOrTheBiasedOne) {
  EXPECT_FLOAT_EQ(fed_variance(false, 1), 14.0f / 3);
  EXPECT_FLOAT_EQ(fed_variance(true, 1), 14.0f / 4);
  // Summed over the replicas.
  EXPECT_FLOAT_EQ(fed_variance(true, 2), 2 * 14.0f / 4);
}

}  // namespace
}  // namespace convoy::test
