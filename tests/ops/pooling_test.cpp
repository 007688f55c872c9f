#include "ops/pooling.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "ops/cases.h"
#include "support/session.h"

namespace convoy::test {
namespace {

// Calls f(output offset, values of the window that are inside the image).
template <class F>
void each_window(const Shape& x, const ops::PoolOptions& o, const Doubles& image, const F& f) {
  const ops::Padding pad = ops::resolve_padding(o.padding, x[2], x[3], o.size, o.size, o.stride);
  const Shape y{x[0], x[1], (x[2] + pad.top + pad.bottom - o.size) / o.stride + 1,
                (x[3] + pad.left + pad.right - o.size) / o.stride + 1};
  for (int64_t n = 0; n < y[0]; ++n) {
    for (int64_t c = 0; c < y[1]; ++c) {
      for (int64_t h = 0; h < y[2]; ++h) {
        for (int64_t w = 0; w < y[3]; ++w) {
          Doubles inside;
          for (int64_t i = 0; i < o.size; ++i) {
            for (int64_t j = 0; j < o.size; ++j) {
              const int64_t row = h * o.stride + i - pad.top, column = w * o.stride + j - pad.left;
              if (row >= 0 && row < x[2] && column >= 0 && column < x[3])
                inside.push_back(image[at(x, n, c, row, column)]);
            }
          }
          f(inside);
        }
      }
    }
  }
}

std::string name_of(const char* kind, const Shape& s, const ops::PoolOptions& o) {
  return fmt::format("{} {} {}x{} stride {} pad {},{},{},{}{}", kind, to_string(s), o.size, o.size,
                     o.stride, o.padding.top, o.padding.left, o.padding.bottom, o.padding.right,
                     o.count_padding ? "" : " without padding");
}

OpCase max_case(const Shape& s, const ops::PoolOptions& o) {
  return {
      .name = name_of("max pool", s, o),
      .inputs = {{.shape = s, .low = -5, .high = 5, .apart = true}},
      .build = [=](Builder& b, std::span<const Value> in) { return ops::max_pool(b, in[0], o); },
      .reference =
          [=](std::span<const Doubles> in) {
            Doubles out;
            each_window(s, o, in[0], [&](const Doubles& window) {
              out.push_back(*std::max_element(window.begin(), window.end()));
            });
            return out;
          }};
}

OpCase avg_case(const Shape& s, const ops::PoolOptions& o) {
  return {
      .name = name_of("avg pool", s, o),
      .inputs = {{.shape = s}},
      .build = [=](Builder& b, std::span<const Value> in) { return ops::avg_pool(b, in[0], o); },
      .reference =
          [=](std::span<const Doubles> in) {
            Doubles out;
            each_window(s, o, in[0], [&](const Doubles& window) {
              double sum = 0;
              for (const double v : window) sum += v;
              const auto pixels = static_cast<double>(window.size());
              out.push_back(sum /
                            (o.count_padding ? static_cast<double>(o.size * o.size) : pixels));
            });
            return out;
          }};
}

OpCase global_case(const Shape& s) {
  return {
      .name = "global avg pool " + to_string(s),
      .inputs = {{.shape = s}},
      .build = [](Builder& b, std::span<const Value> in) { return ops::global_avg_pool(b, in[0]); },
      .reference =
          [=](std::span<const Doubles> in) {
            const auto pixels = static_cast<size_t>(s[2] * s[3]);
            Doubles out(in[0].size() / pixels, 0.0);
            for (size_t i = 0; i < in[0].size(); ++i)
              out[i / pixels] += in[0][i] / static_cast<double>(pixels);
            return out;
          }};
}

std::vector<OpCase> pooling_cases() {
  const std::vector<ops::PoolOptions> windows{
      {.size = 2, .stride = 2},
      {.size = 3, .stride = 2, .padding = ops::Padding::all(1)},
      {.size = 3, .stride = 1, .padding = {0, 1, 2, 1}},
      {.size = 3, .stride = 2, .padding = ops::Padding::like_tensorflow()},
      {.size = 5, .stride = 3, .padding = ops::Padding::all(2), .count_padding = false}};
  std::vector<OpCase> cases;
  for (const ops::PoolOptions& o : windows) {
    for (const Shape& s : {Shape{4, 3, 7, 7}, Shape{2, 16, 6, 8}, Shape{2, 24, 5, 6}}) {
      cases.push_back(max_case(s, o));
      cases.push_back(avg_case(s, o));
    }
  }
  cases.push_back(
      avg_case({2, 5, 4, 4},
               {.size = 3, .stride = 1, .padding = ops::Padding::all(1), .count_padding = false}));
  for (const Shape& s : {Shape{4, 10, 3, 5}, Shape{2, 64, 8, 8}, Shape{8, 17, 1, 1}})
    cases.push_back(global_case(s));
  return cases;
}

const RegisteredOps registered(ops_of<pooling_cases>);

TEST(PoolingOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : pooling_cases()) check(c);
}

// y of a max pooling of x, and the gradient for d_y = 1, 2, 3 ….
struct Pooled {
  std::vector<float> y, d_x;
};
Pooled pooled(const Shape& s, const std::vector<float>& x, const ops::PoolOptions& o) {
  Graph graph;
  Builder b(graph);
  const Value y = ops::max_pool(b, b.param("x", s, {}), o);
  b.output("y", y);
  const auto count = static_cast<float>(b.shape(y).count());
  const Value loss_scale = b.input("loss_scale", {Shape{}});
  Session session(plan(std::move(graph), {{y}}, loss_scale));
  std::copy(x.begin(), x.end(), session.param("x").begin());
  session.bind("loss_scale", &count);
  session.run();
  const std::span<float> d_x = session.grad("x");
  return {session.output("y"), {d_x.begin(), d_x.end()}};
}

TEST(PoolingOp, OfEqualPixelsTheFirstGetsTheGradient) {
  const Pooled p = pooled({1, 1, 2, 4}, {1, 5, 5, 5, 5, 5, 5, 5}, {.size = 2, .stride = 2});
  EXPECT_EQ(p.y, (std::vector<float>{5, 5}));
  EXPECT_EQ(p.d_x, (std::vector<float>{0, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(PoolingOp, ANaNAnywhereInTheWindowComesThrough) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (size_t place = 0; place < 4; ++place) {
    std::vector<float> x{1, 2, 3, 4};
    x[place] = nan;
    const Pooled p = pooled({1, 1, 2, 2}, x, {.size = 2, .stride = 2});
    EXPECT_TRUE(std::isnan(p.y[0])) << place;
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(p.d_x[i], i == place ? 1 : 0) << place;
  }
}

TEST(PoolingOp, InfinitiesAreNumbersToo) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(pooled({1, 1, 2, 2}, {-inf, -inf, -inf, -inf}, {}).y[0], -inf);
  EXPECT_EQ(pooled({1, 1, 2, 2}, {-inf, 3, inf, 2}, {}).y[0], inf);
}

TEST(PoolingOp, RefusesWhatMakesNoSense) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 6, 1, 1}});
  EXPECT_THROW(ops::max_pool(b, x, {.size = 2, .stride = 2}), Error);
  EXPECT_THROW(ops::avg_pool(b, x, {.size = 3, .stride = 1}), Error);
  EXPECT_THROW(ops::max_pool(b, x, {.size = 2, .padding = ops::Padding::all(2)}), Error);
  EXPECT_THROW(ops::max_pool(b, b.input("flat", {{2, 6}}), {}), Error);
  EXPECT_THROW(ops::global_avg_pool(b, b.input("flat", {{2, 6}})), Error);
}

}  // namespace
}  // namespace convoy::test
