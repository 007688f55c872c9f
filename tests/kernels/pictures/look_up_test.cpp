#include "kernels/pictures/look_up.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace convoy::kernels {
namespace {

TEST(LookUp, TakesEveryValueFromTheTableInEitherDirection) {
  Random random(7);
  std::vector<float> table(256);
  for (float& value : table) value = static_cast<float>(random.normal());
  for (const int64_t n : {1, 3, 8, 15, 16, 17, 31, 32, 33, 224, 1000}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(n));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.bits());
    // A value too many would be seen.
    std::vector<float> out(static_cast<size_t>(n) + 1, -100.0f), mirrored = out;
    look_up(bytes.data(), n, table.data(), out.data());
    look_up_backwards(bytes.data() + n - 1, n, table.data(), mirrored.data());
    for (size_t i = 0; i < bytes.size(); ++i) {
      ASSERT_EQ(out[i], table[bytes[i]]) << i << " of " << n;
      ASSERT_EQ(mirrored[i], table[bytes[bytes.size() - 1 - i]]) << i << " of " << n;
    }
    EXPECT_EQ(out.back(), -100.0f);
    EXPECT_EQ(mirrored.back(), -100.0f);
  }
}

}  // namespace
}  // namespace convoy::kernels
