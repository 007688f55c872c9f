// Generated images with objects: a function of seed and index, with boxes around what was drawn.

#include "data/sources/generated_objects.h"

#include <gtest/gtest.h>

#include "data/objects.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

DatasetSpec spec_of(uint64_t seed = 3) {
  return {.image = {3, 40, 60}, .classes = 5, .samples = 50, .objects = true, .seed = seed};
}

std::vector<uint8_t> read(const Dataset& set, int64_t index, Sample& sample) {
  std::vector<uint8_t> pixels(static_cast<size_t>(set.image_shape().count()));
  sample.begin(reinterpret_cast<std::byte*>(pixels.data()), DType::u8);
  set.read(index, 0, sample);
  return pixels;
}

TEST(GeneratedObjects, AreAPureFunctionOfSeedSplitAndIndex) {
  DatasetSpec test_split = spec_of();
  test_split.train = false;
  const auto a = open_dataset("generated", spec_of()), b = open_dataset("generated", spec_of());
  const auto c = open_dataset("generated", spec_of(4)), d = open_dataset("generated", test_split);
  EXPECT_TRUE(a->has_objects());
  EXPECT_EQ(a->classes(), 5);
  EXPECT_EQ(a->class_names().front(), "background");
  for (const int64_t i : {49, 0, 7}) {
    Sample first, second, other;
    EXPECT_EQ(read(*a, i, first), read(*b, i, second));
    EXPECT_TRUE(std::ranges::equal(std::as_const(first).get<double>(object_tensor::truth),
                                   std::as_const(second).get<double>(object_tensor::truth)));
    EXPECT_EQ(std::as_const(first).get<int64_t>(object_tensor::image_id)[0], i);
    EXPECT_NE(read(*a, i, first), read(*c, i, other));
    EXPECT_NE(read(*a, i, first), read(*d, i, other));
  }
}

TEST(GeneratedObjects, EachBoxSurroundsAPatternThatEndsThere) {
  const auto set = open_dataset("generated", spec_of());
  for (int64_t i = 0; i < 50; ++i) {
    Sample sample;
    const std::vector<uint8_t> pixels = read(*set, i, sample);
    const Sample& s = sample;
    const auto truth = s.get<double>(object_tensor::truth);
    const auto boxes = s.get<float>(object_tensor::boxes);
    const auto classes = s.get<int32_t>(object_tensor::classes);
    ASSERT_EQ(truth.size(), classes.size() * object_tensor::truth_columns);
    ASSERT_GE(classes.size(), 1u);
    // The last object hides no part of itself.
    const size_t last = classes.size() - 1;
    EXPECT_GE(classes[last], 1);
    EXPECT_LT(classes[last], 5);
    const auto t = truth.subspan(last * object_tensor::truth_columns);
    const float sides[] = {static_cast<float>(t[1] / 40), static_cast<float>(t[0] / 60),
                           static_cast<float>((t[1] + t[3]) / 40),
                           static_cast<float>((t[0] + t[2]) / 60)};
    EXPECT_TRUE(std::ranges::equal(sides, boxes.subspan(last * 4, 4)));
    EXPECT_EQ(t[5], t[2] * t[3]);
    // Its corner cell has one value; the noise of the background does not.
    const auto at = [&](double x, double y) {
      return pixels[static_cast<size_t>(static_cast<int64_t>(y) * 60 + static_cast<int64_t>(x))];
    };
    for (int64_t k = 1; k < static_cast<int64_t>(t[2]) / 4; ++k) {
      EXPECT_EQ(at(t[0] + static_cast<double>(k), t[1]), at(t[0], t[1])) << i;
    }
  }
}

TEST(GeneratedObjects, NeedAClassBesideTheBackground) {
  DatasetSpec spec = spec_of();
  spec.classes = 1;
  expect_raises(Fault::usage, {"--generated-classes"}, [&] { open_dataset("generated", spec); });
}

}  // namespace
}  // namespace convoy::test
