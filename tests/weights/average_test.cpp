// The reference is the formula of the spec (C.9), one element at a time.

#include "weights/average.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "support/raises.h"
#include "weights/small_float.h"

namespace convoy {
namespace {

using test::expect_raises;

template <class T>
TensorEntry entry(std::string name, DType dtype, Shape shape, const std::vector<T>& values) {
  return {std::move(name), dtype, shape, std::as_bytes(std::span(values))};
}

SafetensorsFile file_of(const std::vector<TensorEntry>& tensors, const std::string& origin) {
  const SafetensorsImage image(tensors);
  std::string bytes;
  for (const std::string_view part : image.parts()) bytes += part;
  return {std::move(bytes), origin};
}

std::vector<float> noise(uint64_t seed, size_t count) {
  Random random(random_key(seed, Purpose::generated, 3));
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random.normal() * std::pow(10, random.uniform() * 8 - 4)));
  }
  return values;
}

std::vector<float> floats(const TensorEntry& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.shape.count()));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

TEST(WeightsAverage, IsTheFormulaBitForBit) {
  constexpr size_t files = 5, count = 60;
  std::vector<std::vector<float>> all;
  for (size_t f = 0; f < files; ++f) all.push_back(noise(f, count));
  for (const std::optional<double> decay : {std::optional<double>(), {0.9}, {0.0}, {1.0}}) {
    WeightsAverage average(decay);
    for (size_t f = 0; f < files; ++f) {
      const std::vector<int64_t> steps{static_cast<int64_t>(f) * 100};
      average.add(file_of({entry("w", DType::f32, {3, 20}, all[f]),
                           entry("bn.num_batches_tracked", DType::s64, {}, steps)},
                          "x"));
    }
    std::vector<float> expected;
    for (size_t i = 0; i < count; ++i) {
      auto v = static_cast<double>(all[0][i]);
      for (size_t f = 1; f < files; ++f) {
        const auto next = static_cast<double>(all[f][i]);
        v = decay ? *decay * v + (1 - *decay) * next : v + next;
      }
      expected.push_back(static_cast<float>(decay ? v : v / files));
    }
    EXPECT_EQ(average.files(), 5);
    const std::vector<TensorEntry> result = average.result();
    ASSERT_EQ(result.size(), 2u);
    EXPECT_EQ(result[1].name, "w");
    EXPECT_EQ(result[1].shape, (Shape{3, 20}));
    EXPECT_EQ(floats(result[1]), expected) << decay.value_or(-1);
    EXPECT_EQ(result[0].dtype, DType::s64);
    int64_t steps = 0;
    std::memcpy(&steps, result[0].data.data(), sizeof steps);
    EXPECT_EQ(steps, 400);
  }
}

// Sums in float would lose all of the small ones.
TEST(WeightsAverage, SumsInDoubleAndRoundsOnceToTheTypeOfTheLast) {
  WeightsAverage average({});
  for (const float x : {16777216.0f, 1.0f, 1.0f, 1.0f}) {
    const std::vector<float> values{x};
    average.add(file_of({entry("w", DType::f32, {1}, values)}, "x"));
  }
  EXPECT_EQ(floats(average.result()[0]), std::vector<float>{4194304.75f});

  WeightsAverage half({});
  const std::vector<float> wide{1.0f};
  const std::vector<uint16_t> narrow{0x3c01};  // 1 + 2^-10
  half.add(file_of({entry("w", DType::f32, {1}, wide)}, "x"));
  half.add(file_of({entry("w", DType::f16, {1}, narrow)}, "y"));
  const std::vector<TensorEntry> result = half.result();
  EXPECT_EQ(result[0].dtype, DType::f16);
  EXPECT_EQ(load_float(DType::f16, result[0].data, 0), 1.0);  // the middle, to even
}

TEST(WeightsAverage, RefusesWhatDoesNotFitAndNamesFileAndTensor) {
  const std::vector<float> three{1, 2, 3}, four{1, 2, 3, 4};
  const std::vector<int32_t> whole{1, 2, 3};
  const auto refused = [&](const std::vector<TensorEntry>& second,
                           std::initializer_list<std::string_view> words) {
    WeightsAverage average({});
    average.add(file_of({entry("a", DType::f32, {3}, three), entry("b", DType::f32, {4}, four)},
                        "first.safetensors"));
    expect_raises(Fault::checkpoint, words,
                  [&] { average.add(file_of(second, "second.safetensors")); });
    EXPECT_EQ(average.files(), 1);
  };
  refused({entry("a", DType::f32, {3}, three)}, {"second.safetensors", "\"b\"", "first"});
  refused({entry("a", DType::f32, {3}, three), entry("c", DType::f32, {4}, four)},
          {"second.safetensors", "\"c\"", "first"});
  refused({entry("a", DType::f32, {3}, three), entry("b", DType::f32, {2, 2}, four)},
          {"second.safetensors", "\"b\"", "2x2"});
  refused({entry("a", DType::s32, {3}, whole), entry("b", DType::f32, {4}, four)},
          {"second.safetensors", "\"a\"", "s32"});
  // A type we do not have, which would otherwise be left out in silence.
  const std::string header = R"({"d":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}})";
  std::string bytes(8, '\0');
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  WeightsAverage average({});
  expect_raises(Fault::checkpoint, {"double.safetensors", "\"d\"", "F64"}, [&] {
    average.add({bytes + header + std::string(8, '\0'), "double.safetensors"});
  });
}

}  // namespace
}  // namespace convoy
