// Ops on bf16 storage: what fp32 would give on the same numbers, rounded once, and within that of a
// float64 reference; in the same pass over memory, so that no plan here has a cast of its own.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/cast.h"
#include "ops/norm/batch_norm.h"
#include "support/op_case.h"
#include "support/session.h"

namespace convoy::test {
namespace {

constexpr float epsilon = 1e-3f;
// Half a step between neighbouring numbers of 8 digits, relative.
constexpr double half_step = 1.0 / 256;

// The nearest bf16, ties to even, by the definition.
float rounded(float x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1.0, std::ilogb(x) - 7);
  return static_cast<float>(std::nearbyint(static_cast<double>(x) / unit) * unit);
}

// Numbers that bf16 holds.
std::vector<float> exact_values(int64_t count, uint64_t key) {
  Random random(key);
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(rounded(static_cast<float>(random.normal()) * 2 + 0.25f));
  return values;
}

using Build = std::function<Value(Builder&, std::span<const Value> images)>;

enum class Statistics { of_batch, kept };

struct Outcome {
  std::vector<float> y;
  std::vector<std::vector<float>> grads;  // of the images, then of the other parameters
};

// y = build(images), with a gradient for each element of y that bf16 holds.
class Trial {
 public:
  Trial(const Shape& shape, size_t images, const Build& build, DType storage,
        Statistics statistics = Statistics::of_batch)
      : shape_(shape) {
    Graph graph;
    Builder b(graph);
    Values in;
    for (size_t i = 0; i < images; ++i) {
      names_.push_back("image" + std::to_string(i));
      const Value x = b.param(names_.back(), shape, {});
      in.push_back(storage == DType::f32 ? x : ops::cast(b, x, storage));
    }
    Value y = build(b, in);
    if (storage != DType::f32) y = ops::cast(b, y, DType::f32);
    const Value loss = ops::multiply(b, y, b.input("d_y", {shape}));
    const Value scale = b.input("scale", {Shape{}});
    b.output("y", y);
    b.output("loss", loss);
    if (statistics == Statistics::kept)
      ops::freeze_statistics(graph, [](const std::string&) { return true; });
    for (const Param& p : graph.params) {
      if (!p.name.starts_with("image")) names_.push_back(p.name);
    }
    session_ = std::make_unique<Session>(plan(std::move(graph), {{loss}}, scale));
  }

  Outcome operator()(int threads) {
    const std::vector<float> d_y = exact_values(shape_.count(), 99);
    const auto count = static_cast<float>(shape_.count());
    for (size_t i = 0; i < names_.size(); ++i) {
      const std::span<float> into = session_->param(names_[i]);
      const std::vector<float> values = exact_values(std::ssize(into), i + 1);
      std::copy(values.begin(), values.end(), into.begin());
    }
    session_->bind("d_y", d_y.data());
    session_->bind("scale", &count);
    session_->run(threads);
    Outcome outcome{session_->output("y"), {}};
    for (const std::string& name : names_) {
      const std::span<float> grad = session_->grad(name);
      outcome.grads.emplace_back(grad.begin(), grad.end());
    }
    return outcome;
  }
  const Graph& graph() const { return session_->plan().graph; }

 private:
  Shape shape_;
  std::vector<std::string> names_;
  std::unique_ptr<Session> session_;
};

void expect_same(const std::vector<float>& have, const std::vector<float>& want,
                 const std::string& what) {
  ASSERT_EQ(have.size(), want.size()) << what;
  for (size_t i = 0; i < have.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(have[i]), std::bit_cast<uint32_t>(want[i]))
        << what << ", element " << i << ": " << have[i] << " and " << want[i];
  }
}

std::vector<float> rounded(std::vector<float> values) {
  for (float& v : values) v = rounded(v);
  return values;
}

// Casts of the test's own parameters and results, both ways, are all there are.
void expect_rounded_fp32(const std::string& name, const Shape& shape, size_t images,
                         const Build& build, Statistics statistics = Statistics::of_batch) {
  const testing::ScopedTrace trace(__FILE__, __LINE__, name + " " + to_string(shape));
  Trial wide(shape, images, build, DType::f32, statistics);
  Trial narrow(shape, images, build, DType::bf16, statistics);
  EXPECT_EQ(count_ops(narrow.graph(), "cast"), 2 * static_cast<int>(images + 1));
  const Outcome want = wide(1), have = narrow(1);
  expect_same(have.y, rounded(want.y), "y");
  for (size_t i = 0; i < want.grads.size(); ++i) {
    expect_same(have.grads[i], i < images ? rounded(want.grads[i]) : want.grads[i],
                "gradient " + std::to_string(i));
  }
  for (const int threads : {2, 3}) {
    const Outcome again = narrow(threads);
    expect_same(again.y, have.y, "threads");
    for (size_t i = 0; i < want.grads.size(); ++i)
      expect_same(again.grads[i], have.grads[i], "threads");
  }
}

Value norm(Builder& b, Value x) {
  const Shape channels{b.shape(x)[1]};
  const ops::BatchNormVars vars{b.param("gamma", channels, {}), b.param("beta", channels, {}),
                                b.stat("mean", channels, 0), b.stat("variance", channels, 1)};
  return ops::batch_norm(b, x, vars, {.epsilon = epsilon});
}

const std::vector<Shape> image_shapes{{4, 3, 4, 5}, {2, 24, 7, 5}, {5, 17, 1, 1}, {9, 32, 16, 17}};

TEST(StoredBf16, ElementwiseOpsGiveFp32RoundedOnce) {
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 7}, Shape{2, 32, 8, 8}, Shape{4, 17, 31, 33}}) {
    expect_rounded_fp32("relu", shape, 1,
                        [](Builder& b, std::span<const Value> in) { return ops::relu(b, in[0]); });
    expect_rounded_fp32("add", shape, 2, [](Builder& b, std::span<const Value> in) {
      return ops::add(b, in[0], in[1]);
    });
  }
}

TEST(StoredBf16, BatchNormGivesFp32RoundedOnce) {
  for (const Shape& shape : image_shapes) {
    const auto one = [&](const std::string& name, const Build& build) {
      expect_rounded_fp32(name, shape, 1, build);
    };
    one("norm", [](Builder& b, std::span<const Value> in) { return norm(b, in[0]); });
    one("norm + relu",
        [](Builder& b, std::span<const Value> in) { return ops::relu(b, norm(b, in[0])); });
    expect_rounded_fp32("norm + add", shape, 2, [](Builder& b, std::span<const Value> in) {
      return ops::add(b, norm(b, in[0]), in[1]);
    });
    expect_rounded_fp32("norm + add + relu", shape, 2, [](Builder& b, std::span<const Value> in) {
      return ops::relu(b, ops::add(b, norm(b, in[0]), in[1]));
    });
  }
}

// With the statistics it has, as evaluation and training with frozen statistics use them.
TEST(StoredBf16, ANormThatKeepsItsStatisticsGivesFp32RoundedOnce) {
  for (const Shape& shape : image_shapes) {
    expect_rounded_fp32(
        "kept norm + add + relu", shape, 2,
        [](Builder& b, std::span<const Value> in) {
          return ops::relu(b, ops::add(b, norm(b, in[0]), in[1]));
        },
        Statistics::kept);
  }
}

void expect_within_half_a_step(const std::vector<float>& have, const Doubles& want, double noise) {
  ASSERT_EQ(have.size(), want.size());
  double typical = 0;
  for (const double v : want) typical += v * v;
  typical = std::sqrt(typical / static_cast<double>(want.size()));
  for (size_t i = 0; i < have.size(); ++i) {
    const double bound = half_step * std::abs(want[i]) + noise * (std::abs(want[i]) + typical);
    ASSERT_LE(std::abs(static_cast<double>(have[i]) - want[i]), bound)
        << "element " << i << ": " << have[i] << " and " << want[i];
  }
}

TEST(StoredBf16, ReluAndAddAreWithinHalfAStepOfFloat64) {
  const Shape shape{3, 5, 7, 11};
  const std::vector<float> a = exact_values(shape.count(), 1), b = exact_values(shape.count(), 2);
  Doubles sum, positive;
  for (size_t i = 0; i < a.size(); ++i) {
    sum.push_back(static_cast<double>(a[i]) + static_cast<double>(b[i]));
    positive.push_back(a[i] > 0 ? static_cast<double>(a[i]) : 0);
  }
  Trial relu(
      shape, 1, [](Builder& g, std::span<const Value> in) { return ops::relu(g, in[0]); },
      DType::bf16);
  Trial add(
      shape, 2, [](Builder& g, std::span<const Value> in) { return ops::add(g, in[0], in[1]); },
      DType::bf16);
  expect_within_half_a_step(relu(2).y, positive, 0);
  expect_within_half_a_step(add(2).y, sum, 1e-7);
}

// Forward and backward by plain loops in float64 on the numbers that were stored.
TEST(StoredBf16, BatchNormIsWithinHalfAStepOfFloat64) {
  for (const Shape& s : image_shapes) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, to_string(s));
    Trial run(
        s, 1, [](Builder& b, std::span<const Value> in) { return norm(b, in[0]); }, DType::bf16);
    const Outcome have = run(2);
    const std::vector<float> x = exact_values(s.count(), 1), g = exact_values(s.count(), 99);
    const std::vector<float> gamma = exact_values(s[1], 2), beta = exact_values(s[1], 3);
    Doubles y(x.size()), d_x(x.size()), d_gamma, d_beta;
    for (int64_t c = 0; c < s[1]; ++c) {
      const auto each = [&](auto&& f) {
        for (int64_t n = 0; n < s[0]; ++n) {
          for (int64_t h = 0; h < s[2]; ++h) {
            for (int64_t w = 0; w < s[3]; ++w) f(at(s, n, c, h, w));
          }
        }
      };
      const auto count = static_cast<double>(s[0] * s[2] * s[3]);
      const auto scale = static_cast<double>(gamma[static_cast<size_t>(c)]);
      double mean = 0, variance = 0, sum = 0, dot = 0;
      each([&](size_t i) { mean += static_cast<double>(x[i]) / count; });
      each([&](size_t i) { variance += std::pow(static_cast<double>(x[i]) - mean, 2) / count; });
      const double inverse = 1 / std::sqrt(variance + static_cast<double>(epsilon));
      const auto normal = [&](size_t i) { return (static_cast<double>(x[i]) - mean) * inverse; };
      each([&](size_t i) {
        y[i] = normal(i) * scale + static_cast<double>(beta[static_cast<size_t>(c)]);
        sum += static_cast<double>(g[i]);
        dot += static_cast<double>(g[i]) * normal(i);
      });
      each([&](size_t i) {
        d_x[i] =
            scale * inverse * (static_cast<double>(g[i]) - sum / count - normal(i) * dot / count);
      });
      d_gamma.push_back(dot);
      d_beta.push_back(sum);
    }
    expect_within_half_a_step(have.y, y, 1e-5);
    expect_within_half_a_step(have.grads[0], d_x, 1e-5);
    for (size_t c = 0; c < d_gamma.size(); ++c) {
      EXPECT_NEAR(have.grads[1][c], d_gamma[c], 1e-4 * (1 + std::abs(d_gamma[c])));
      EXPECT_NEAR(have.grads[2][c], d_beta[c], 1e-4 * (1 + std::abs(d_beta[c])));
    }
  }
}

// By the harness of all ops: difference quotients, replicas, layouts. Inputs are rounded on the way
// in, so the bounds are those of some roundings.
TEST(StoredBf16, GradientsAndReplicasAgreeAsThoseOfFp32Do) {
  const auto narrow = [](Builder& b, Value x) { return ops::cast(b, x, DType::bf16); };
  for (const Shape& s : {Shape{4, 3, 4, 5}, Shape{8, 16, 3, 3}}) {
    check({.name = "relu(a + b) in bf16",
           .inputs = {{.shape = s, .low = 0.1, .high = 3}, {.shape = s, .low = 0.1, .high = 3}},
           .build =
               [=](Builder& b, std::span<const Value> in) {
                 const Value sum = ops::add(b, narrow(b, in[0]), narrow(b, in[1]));
                 return ops::cast(b, ops::relu(b, sum), DType::f32);
               },
           .reference =
               [](std::span<const Doubles> in) {
                 Doubles out;
                 for (size_t i = 0; i < in[0].size(); ++i) out.push_back(in[0][i] + in[1][i]);
                 return out;
               },
           .tolerance = 4 * half_step,
           .grad_tolerance = 4 * half_step});
  }
}

TEST(StoredBf16, NaNAndInfinityComeThrough) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x(67, 1.0f);  // in the vector part and in the tail
  x[5] = x[66] = std::numeric_limits<float>::quiet_NaN();
  x[6] = x[65] = inf;
  x[7] = -inf;
  Graph graph;
  Builder b(graph);
  const Value y = ops::relu(b, ops::cast(b, b.input("x", {{67}}), DType::bf16));
  b.output("y", ops::cast(b, ops::add(b, y, y), DType::f32));
  Session session(plan(std::move(graph)));
  session.bind("x", x.data());
  session.run();
  const std::vector<float> out = session.output("y");
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(std::isnan(out[i]), i == 5 || i == 66) << i;
    EXPECT_EQ(out[i] == inf, i == 6 || i == 65) << i;
  }
  EXPECT_EQ(out[7], 0);
}

}  // namespace
}  // namespace convoy::test
