#include "tensor/shape.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "tensor/isa.h"

namespace convoy {
namespace {

TEST(Shape, ReadsAsText) {
  EXPECT_EQ(to_string(Shape{32, 16, 8, 8}), "32x16x8x8");
  EXPECT_EQ(to_string(Shape{7}), "7");
  EXPECT_EQ(to_string(Shape{}), "scalar");
  EXPECT_EQ(to_string(TensorType{{2, 3}, DType::bf16}), "bf16[2x3]");
  EXPECT_EQ(to_string(TensorType{{2, 3, 4, 4}, DType::f32, Layout::blocked}),
            "f32[2x3x4x4] blocked");
}

TEST(Shape, CountsAndCompares) {
  EXPECT_EQ(Shape{}.count(), 1);
  EXPECT_EQ((Shape{2, 3, 4}.count()), 24);
  EXPECT_EQ((Shape{2, 0, 4}.count()), 0);
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  Shape shape{2};
  shape.append(5);
  EXPECT_EQ(shape, (Shape{2, 5}));
}

TEST(Shape, HasAtMostSixDimensions) {
  Shape shape{1, 2, 3, 4, 5};
  shape.append(6);
  EXPECT_THROW(shape.append(7), Error);
  EXPECT_EQ(shape.rank(), 6);
  EXPECT_THROW((Shape{1, 2, 3, 4, 5, 6, 7}), Error);
}

TEST(Shape, BlockedStorageIsPaddedToTheBlock) {
  const int64_t block = channel_block();
  const TensorType image{{2, 3, 4, 4}, DType::f32, Layout::blocked};
  EXPECT_EQ(stored_count(image), 2 * block * 16);
  EXPECT_EQ(stored_bytes({{2, 3, 4, 4}, DType::bf16, Layout::blocked}),
            static_cast<size_t>(2 * block * 16 * 2));
  EXPECT_EQ(stored_bytes({{2, 3, 4, 4}, DType::u8}), 96u);
  EXPECT_EQ(stored_bytes({{3}, DType::s64}), 24u);
  EXPECT_EQ(stored_bytes({{3}, DType::f64}), 24u);
}

TEST(Isa, HasANameForEveryLevelAndBack) {
  for (const Isa isa : {Isa::sse41, Isa::avx2, Isa::avx512, Isa::avx512_bf16, Isa::amx})
    EXPECT_EQ(isa_by_name(name(isa)), isa);
  EXPECT_THROW(isa_by_name("mmx"), Error);
  EXPECT_THROW(isa_by_name(""), Error);
}

TEST(Isa, TheBlockFollowsTheLevel) {
  EXPECT_EQ(channel_block(), isa_level() >= Isa::avx512 ? 16 : 8);
  EXPECT_NO_THROW(limit_isa(isa_level()));  // no change is always allowed
}

}  // namespace
}  // namespace convoy
