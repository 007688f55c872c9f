#include "data/sources/generated_objects.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "data/objects.h"
#include "support/raises.h"

namespace convoy {
namespace {

struct Objects {
  std::vector<float> boxes;
  std::vector<int32_t> classes;
  std::vector<double> truth;

  bool operator==(const Objects&) const = default;
};

Objects objects_of(const Dataset& set, int64_t index) {
  std::vector<uint8_t> pixels(static_cast<size_t>(set.image_shape().count()));
  Sample sample;
  sample.begin(reinterpret_cast<std::byte*>(pixels.data()), DType::u8);
  set.read(index, 0, sample);
  const auto all = [](auto span) { return std::vector(span.begin(), span.end()); };
  EXPECT_EQ(sample.get<int64_t>(object_tensor::image_id)[0], index);
  return {all(std::as_const(sample).get<float>(object_tensor::boxes)),
          all(std::as_const(sample).get<int32_t>(object_tensor::classes)),
          all(std::as_const(sample).get<double>(object_tensor::truth))};
}

TEST(GeneratedObjects, AreInsideTheImageAndAgreeWithTheirTruth) {
  const int height = 40, width = 80;
  const auto set = generated_objects({.image = {3, height, width}, .classes = 4, .samples = 60});
  std::set<int32_t> seen;
  for (int64_t i = 0; i < set->size(); ++i) {
    const Objects objects = objects_of(*set, i);
    ASSERT_GE(objects.classes.size(), 1u);
    ASSERT_EQ(objects.boxes.size(), 4 * objects.classes.size());
    ASSERT_EQ(objects.truth.size(), 7 * objects.classes.size());
    for (size_t k = 0; k < objects.classes.size(); ++k) {
      const float* box = objects.boxes.data() + 4 * k;
      const double* truth = objects.truth.data() + 7 * k;
      seen.insert(objects.classes[k]);
      EXPECT_TRUE(0 <= box[0] && box[0] < box[2] && box[2] <= 1) << i;
      EXPECT_TRUE(0 <= box[1] && box[1] < box[3] && box[3] <= 1) << i;
      EXPECT_NEAR(truth[0], box[1] * width, 1e-4);
      EXPECT_NEAR(truth[1], box[0] * height, 1e-4);
      EXPECT_NEAR(truth[2], (box[3] - box[1]) * width, 1e-4);
      EXPECT_NEAR(truth[3], (box[2] - box[0]) * height, 1e-4);
      EXPECT_EQ(truth[4], objects.classes[k]);
      EXPECT_NEAR(truth[5], truth[2] * truth[3], 1e-9);
      EXPECT_EQ(truth[6], 0);
    }
  }
  EXPECT_EQ(seen, (std::set<int32_t>{1, 2, 3}));
}

TEST(GeneratedObjects, AreAFunctionOfSeedSplitAndIndex) {
  const DatasetSpec spec{.image = {3, 16, 16}, .classes = 9, .samples = 9, .seed = 5};
  DatasetSpec other = spec, held_out = spec;
  other.seed = 6;
  held_out.train = false;
  const auto a = generated_objects(spec), same = generated_objects(spec);
  EXPECT_EQ(objects_of(*a, 4), objects_of(*same, 4));
  EXPECT_NE(objects_of(*a, 4), objects_of(*a, 5));
  EXPECT_NE(objects_of(*a, 4), objects_of(*generated_objects(other), 4));
  EXPECT_NE(objects_of(*a, 4), objects_of(*generated_objects(held_out), 4));
}

TEST(GeneratedObjects, NeedAClassBesideTheBackground) {
  test::expect_raises(Fault::usage, {"--generated-classes 2"},
                      [] { generated_objects({.classes = 1}); });
}

}  // namespace
}  // namespace convoy
