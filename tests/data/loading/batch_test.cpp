#include "data/loading/batch.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

TEST(Batch, HoldsAlignedTensorsThatDoNotOverlap) {
  const Batch batch(classification_tensors(3, {3, 5, 7}));
  ASSERT_EQ(batch.tensors().size(), 4u);
  EXPECT_EQ(batch.find("image")->type.shape, (Shape{3, 3, 5, 7}));
  EXPECT_EQ(batch.find("label")->type.dtype, DType::s32);
  EXPECT_EQ(batch.find("weight")->type.dtype, DType::f32);
  EXPECT_EQ(batch.find("key")->type.dtype, DType::s64);
  const std::byte* free_from = nullptr;
  for (const NamedTensor& tensor : batch.tensors()) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data) % Arena::alignment, 0u);
    EXPECT_GE(tensor.data, free_from);
    free_from = tensor.data + stored_bytes(tensor.type);
  }
}

TEST(Batch, ImagesOfBytesTakeAQuarter) {
  const Batch batch(classification_tensors(3, {3, 5, 7}, DType::u8));
  const NamedTensor& image = *batch.find("image");
  EXPECT_EQ(image.type, (TensorType{{3, 3, 5, 7}, DType::u8}));
  EXPECT_EQ(4 * stored_bytes(image.type),
            stored_bytes(classification_tensors(3, {3, 5, 7})[0].second));
  test::expect_raises(Fault::bug, {"no such tensor"}, [&] { batch.data<float>("image"); });
}

TEST(Batch, KnowsWhatItHasNot) {
  const Batch batch({{"boxes", {.shape = {2, 4}}}});
  EXPECT_EQ(batch.find("image"), nullptr);
  test::expect_raises(Fault::bug, {"no such tensor"}, [&] { batch.data<float>("image"); });
  test::expect_raises(Fault::bug, {"no such tensor"}, [&] { batch.data<double>("boxes"); });
  test::expect_raises(Fault::bug, {"one name"}, [] {
    const Batch two({{"a", {.shape = {2}}}, {"a", {.shape = {2}}}});
  });
}

}  // namespace
}  // namespace convoy
