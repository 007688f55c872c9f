#include "kernels/transpose.h"

#include <gtest/gtest.h>

#include <vector>

#include "tensor/isa.h"

namespace convoy::kernels {
namespace {

TEST(Transpose, RowsBecomeLanesAndMissingRowsZeros) {
  const int64_t block = channel_block();
  for (const int64_t rows : {int64_t{1}, int64_t{5}, block - 1, block}) {
    for (const int64_t columns : {1, 3, 4, 9, 16, 37}) {
      const int64_t stride = columns + 2;
      std::vector<float> from(static_cast<size_t>(rows * stride));
      for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i + 1);
      std::vector<float> to(static_cast<size_t>(columns * block), -1.0f);
      transpose({rows, columns, block, stride, block}, from.data(), to.data());
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < block; ++i) {
          const float want = i < rows ? from[static_cast<size_t>(i * stride + j)] : 0.0f;
          ASSERT_EQ(to[static_cast<size_t>(j * block + i)], want) << rows << " " << columns;
        }
      }
    }
  }
}

TEST(Transpose, ANegativeStrideTurnsTheOrder) {
  const int64_t block = channel_block();
  std::vector<float> from(static_cast<size_t>(block * 9));
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  std::vector<float> to(from.size());
  transpose({block, 9, block, 9, -block}, from.data(), to.data() + 8 * block);
  for (int64_t j = 0; j < 9; ++j) {
    for (int64_t i = 0; i < block; ++i) {
      ASSERT_EQ(to[static_cast<size_t>(j * block + i)], from[static_cast<size_t>(i * 9 + 8 - j)]);
    }
  }
}

}  // namespace
}  // namespace convoy::kernels
