#include "ops/elementwise/cast.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/random.h"
#include "kernels/cast.h"
#include "ops/cases.h"
#include "ops/elementwise/activation.h"
#include "support/session.h"

namespace convoy::test {
namespace {

// The nearest number with `digits` binary digits, ties to even, by the definition.
double rounded(double x, int digits) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::ldexp(1.0, std::ilogb(x) - (digits - 1));
  return std::nearbyint(x / unit) * unit;
}

// There and back. The gradient passes through the rounding, so it cannot be a difference quotient
// of this; see the tests below.
OpCase cast_case(const Shape& shape, DType type, int digits) {
  return {.name = "cast " + to_string(shape) + " to " + std::string(name(type)),
          .inputs = {{.shape = shape, .low = -100, .high = 100}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                return ops::cast(b, ops::cast(b, in[0], type), DType::f32);
              },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                for (const double x : in[0]) out.push_back(rounded(x, digits));
                return out;
              },
          .gradient = false,
          .tolerance = 0};
}

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

std::vector<uint16_t> to_bf16(std::vector<float> x) {
  std::vector<uint16_t> y(x.size());
  kernels::f32_to_bf16(x.data(), y.data(), static_cast<int64_t>(x.size()));
  return y;
}
std::vector<uint16_t> to_f16(std::vector<float> x) {
  std::vector<uint16_t> y(x.size());
  kernels::f32_to_f16(x.data(), y.data(), static_cast<int64_t>(x.size()));
  return y;
}

std::vector<OpCase> cast_cases() {
  std::vector<OpCase> cases;
  for (const Shape& shape : {Shape{1, 1}, Shape{4, 5, 3, 7}, Shape{2, 32, 4, 4}}) {
    cases.push_back(cast_case(shape, DType::bf16, 8));
    cases.push_back(cast_case(shape, DType::f16, 11));
    cases.push_back(cast_case(shape, DType::f32, 24));
  }
  return cases;
}

const RegisteredOps registered(ops_of<cast_cases>);

constexpr float inf = std::numeric_limits<float>::infinity();

TEST(CastOp, RoundsToNearestEven) {
  for (const OpCase& c : cast_cases()) check(c);
}

TEST(CastOp, Bf16IsExactAtTheEdges) {
  // Ties go to the even neighbour, in both directions.
  EXPECT_EQ(to_bf16({from_bits(0x3f808000), from_bits(0x3f818000), from_bits(0x3f808001)}),
            (std::vector<uint16_t>{0x3f80, 0x3f82, 0x3f81}));
  EXPECT_EQ(to_bf16({0.0f, -0.0f, inf, -inf}), (std::vector<uint16_t>{0, 0x8000, 0x7f80, 0xff80}));
  // The largest float rounds up to infinity; the largest bf16 stays.
  EXPECT_EQ(to_bf16({from_bits(0x7f7fffff), from_bits(0x7f7f0000)}),
            (std::vector<uint16_t>{0x7f80, 0x7f7f}));
  // A NaN whose payload lies in the low bits stays a NaN.
  for (const uint16_t bits : to_bf16({from_bits(0x7f800001), from_bits(0xffffffff)}))
    EXPECT_GT(bits & 0x7fff, 0x7f80);
}

TEST(CastOp, F16IsExactAtTheEdges) {
  EXPECT_EQ(to_f16({1, -2, 0.0f, -0.0f, inf, -inf}),
            (std::vector<uint16_t>{0x3c00, 0xc000, 0, 0x8000, 0x7c00, 0xfc00}));
  // 2048 and 2050 are neighbours: 2049 is a tie. 65519 is the last that stays below infinity.
  EXPECT_EQ(to_f16({2049, 2051, 65504, 65519, 65520, 1e10f}),
            (std::vector<uint16_t>{0x6800, 0x6802, 0x7bff, 0x7bff, 0x7c00, 0x7c00}));
  // Subnormals of fp16 are ordinary numbers of fp32, and must survive.
  EXPECT_EQ(to_f16({0x1p-14f, 0x1p-24f, 0x1.8p-24f, 0x1p-25f, 0x1.000002p-25f}),
            (std::vector<uint16_t>{0x0400, 0x0001, 0x0002, 0, 0x0001}));
  for (const uint16_t bits : to_f16({std::nanf(""), -std::nanf("")}))
    EXPECT_GT(bits & 0x7fff, 0x7c00);
}

TEST(CastOp, Every16BitNumberComesBack) {
  flush_subnormals();
  std::vector<uint16_t> all(65536), again(65536);
  std::vector<float> wide(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const auto is_nan = [](uint16_t bits, uint16_t top) { return (bits & 0x7fff) > top; };

  kernels::bf16_to_f32(all.data(), wide.data(), 65536);
  for (size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(wide[i]), static_cast<uint32_t>(i) << 16);
  kernels::f32_to_bf16(wide.data(), again.data(), 65536);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!is_nan(all[i], 0x7f80)) {
      EXPECT_EQ(again[i], all[i]);
    }
  }

  kernels::f16_to_f32(all.data(), wide.data(), 65536);
  kernels::f32_to_f16(wide.data(), again.data(), 65536);
  for (size_t i = 0; i < all.size(); ++i) {
    if (is_nan(all[i], 0x7c00)) {
      EXPECT_TRUE(std::isnan(wide[i])) << i;
    } else {
      EXPECT_EQ(again[i], all[i]);
    }
  }
}

// Between every two neighbours: the middle goes to the even one, everything else to the nearer one;
// beyond the largest number to infinity.
TEST(CastOp, HalfwayCasesOfBf16GoToTheEvenNeighbour) {
  flush_subnormals();
  std::vector<uint32_t> bits;
  std::vector<uint16_t> want;
  for (uint32_t sign : {0u, 0x8000u}) {
    for (uint32_t low = 0; low < 0x7f80; ++low) {
      const uint32_t start = (sign | low) << 16;
      for (const uint32_t rest : {1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
        const uint32_t up = rest > 0x8000 || (rest == 0x8000 && low % 2 == 1);
        bits.push_back(start | rest);
        want.push_back(static_cast<uint16_t>(sign | (low + up)));
      }
    }
  }
  std::vector<float> wide(bits.size());
  for (size_t i = 0; i < bits.size(); ++i) wide[i] = std::bit_cast<float>(bits[i]);
  std::vector<uint16_t> have(bits.size());
  kernels::f32_to_bf16(wide.data(), have.data(), std::ssize(have));
  EXPECT_TRUE(have == want);
  for (size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(narrowed(wide[i]).bits, want[i]) << i;
}

// Down and up again with the gradient flowing back, and two readers of the stored value.
TEST(CastOp, GradientsPassThroughAndMeet) {
  for (const DType type : {DType::bf16, DType::f16}) {
    Graph graph;
    Builder b(graph);
    const Value stored = ops::cast(b, b.param("x", {4, 3, 2, 2}, {}), type);
    const Value y = ops::relu(b, ops::cast(b, stored, DType::f32));
    const Value z = ops::cast(b, stored, DType::f32);
    b.output("y", y);
    b.output("z", z);
    const Value scale = b.input("scale", {Shape{}});
    Session session(plan(std::move(graph), {{y}, {z, 2}}, scale));
    std::span<float> x = session.param("x");
    for (size_t i = 0; i < x.size(); ++i) x[i] = i % 2 ? 1.001f : -1.001f;
    const float count = 48;
    session.bind("scale", &count);
    session.run();
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(session.output("y")[i], i % 2 ? rounded(1.001f, type == DType::bf16 ? 8 : 11) : 0);
      EXPECT_EQ(session.grad("x")[i], i % 2 ? 3 : 2) << i;
    }
  }
}

TEST(CastOp, RefusesIntegersAndDirectWaysBetween16BitTypes) {
  Graph graph;
  Builder b(graph);
  EXPECT_THROW(ops::cast(b, b.input("label", {{4}, DType::s32}), DType::f32), Error);
  EXPECT_THROW(ops::cast(b, b.input("x", {{4}}), DType::s32), Error);
  EXPECT_THROW(ops::cast(b, b.input("half", {{4}, DType::bf16}), DType::f16), Error);
}

}  // namespace
}  // namespace convoy::test
