// Every f16 and bf16 there is; and rounding against the nearest of all, found by looking.

#include "weights/small_float.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"

namespace convoy {
namespace {

double value_of(DType dtype, uint16_t bits) {
  std::array<std::byte, 2> data{};
  std::memcpy(data.data(), &bits, 2);
  return load_float(dtype, data, 0);
}

uint16_t bits_of(DType dtype, double value) {
  std::array<std::byte, 2> data{};
  store_float(dtype, value, data, 0);
  return std::bit_cast<uint16_t>(data);
}

TEST(SmallFloat, EveryValueComesBack) {
  EXPECT_EQ(value_of(DType::f16, 0x3c00), 1.0);
  EXPECT_EQ(value_of(DType::f16, 0xc000), -2.0);
  EXPECT_EQ(value_of(DType::f16, 0x7bff), 65504.0);
  EXPECT_EQ(value_of(DType::f16, 0x0001), std::ldexp(1, -24));
  EXPECT_EQ(value_of(DType::bf16, 0x3f80), 1.0);
  EXPECT_EQ(value_of(DType::bf16, 0x0001), std::ldexp(1, -133));
  EXPECT_EQ(value_of(DType::bf16, 0x7f7f), 0x1.fep127);
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double value = value_of(dtype, static_cast<uint16_t>(bits));
      // A bf16 is the upper half of an f32. (No casts: this thread flushes subnormals to zero.)
      if (dtype == DType::bf16 && !std::isnan(value)) {
        std::array<std::byte, 4> wide{};
        const uint32_t upper = bits << 16;
        std::memcpy(wide.data(), &upper, 4);
        ASSERT_EQ(load_float(DType::f32, wide, 0), value) << bits;
        std::array<std::byte, 4> back{};
        store_float(DType::f32, value, back, 0);
        ASSERT_EQ(back, wide) << bits;
      }
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(value_of(dtype, bits_of(dtype, value)))) << bits;
      } else {
        ASSERT_EQ(bits_of(dtype, value), bits) << name(dtype);
      }
    }
  }
}

TEST(SmallFloat, RoundsToTheNearestAndTiesToEven) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    // Neighbours a < b: around their middle, and in the middle itself.
    for (uint16_t a = 0; value_of(dtype, static_cast<uint16_t>(a + 1)) < INFINITY; ++a) {
      const auto b = static_cast<uint16_t>(a + 1);
      const double middle = (value_of(dtype, a) + value_of(dtype, b)) / 2;
      ASSERT_EQ(bits_of(dtype, std::nextafter(middle, 0)), a);
      ASSERT_EQ(bits_of(dtype, std::nextafter(middle, INFINITY)), b);
      ASSERT_EQ(bits_of(dtype, middle), a % 2 ? b : a);
      ASSERT_EQ(bits_of(dtype, -middle), (a % 2 ? b : a) | 0x8000);
    }
    const uint16_t infinity = dtype == DType::f16 ? 0x7c00 : 0x7f80;
    const double largest = value_of(dtype, static_cast<uint16_t>(infinity - 1));
    const double step = largest - value_of(dtype, static_cast<uint16_t>(infinity - 2));
    EXPECT_EQ(bits_of(dtype, largest + step / 2), infinity);
    EXPECT_EQ(bits_of(dtype, std::nextafter(largest + step / 2, 0)), infinity - 1);
    EXPECT_EQ(bits_of(dtype, 1e300), infinity);
    EXPECT_EQ(bits_of(dtype, -INFINITY), infinity | 0x8000);
    EXPECT_EQ(bits_of(dtype, 1e-300), 0);
  }
  // By way of f32 this would be a tie, and go the other way.
  EXPECT_EQ(bits_of(DType::f16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3c01);
}

}  // namespace
}  // namespace convoy
