// What random erasing leaves of images, against the distribution that it draws from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/augment/augment_chain.h"

namespace convoy {
namespace {

constexpr Shape shape{3, 40, 50};

struct Rectangle {
  int64_t y = 0, x = 0, h = 0, w = 0;
  double area() const { return static_cast<double>(h * w); }
};

// What of an image of ones is 0; it must be a rectangle, and the same in each channel.
Rectangle erased(const std::vector<float>& pixels) {
  const int64_t height = shape[1], width = shape[2];
  int64_t top = height, bottom = -1, left = width, right = -1, zeros = 0;
  for (int64_t i = 0; i < shape.count(); ++i) {
    if (pixels[static_cast<size_t>(i)] != 0) continue;
    const int64_t y = i / width % height, x = i % width;
    top = std::min(top, y), bottom = std::max(bottom, y);
    left = std::min(left, x), right = std::max(right, x);
    ++zeros;
  }
  if (zeros == 0) return {};
  const Rectangle found{top, left, bottom - top + 1, right - left + 1};
  EXPECT_EQ(zeros, shape[0] * found.h * found.w) << "no rectangle";
  return found;
}

std::vector<Rectangle> many(double probability, int count) {
  const AugmentOptions options{.own = {{"random-erase", std::to_string(probability)}}};
  const AugmentChain chain({"mean-std", "random-erase"}, options, shape);
  const std::vector<uint8_t> pixels(static_cast<size_t>(shape.count()), 255);
  std::vector<float> out(pixels.size());
  std::vector<std::byte> scratch(chain.scratch_bytes());
  std::vector<Rectangle> all;
  for (int i = 0; i < count; ++i) {
    chain.run(pixels.data(), out.data(), mix(static_cast<uint64_t>(i)), scratch.data());
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](float x) { return x == 0 || x == 1; }));
    all.push_back(erased(out));
  }
  return all;
}

TEST(RandomErase, HappensWithItsProbability) {
  for (const double p : {0.1, 0.5, 1.0}) {
    constexpr int count = 4000;
    const std::vector<Rectangle> all = many(p, count);
    const auto hit = std::count_if(all.begin(), all.end(), [](auto& r) { return r.area() > 0; });
    EXPECT_NEAR(static_cast<double>(hit), p * count, 5 * std::sqrt(count * p * (1 - p)) + 1);
  }
}

// The peer's code, in plain words: the moments of area and ratio are those of its draws that fit.
TEST(RandomErase, AreaRatioAndPlaceAreDistributedAsTheyShould) {
  constexpr int count = 6000;
  const std::vector<Rectangle> all = many(1, count);
  std::vector<double> areas, ratios, tops, lefts;
  for (const Rectangle& r : all) {
    EXPECT_GT(r.area(), 0);
    areas.push_back(r.area() / 2000);
    ratios.push_back(std::log(static_cast<double>(r.h) / static_cast<double>(r.w)));
    tops.push_back(static_cast<double>(r.y) / static_cast<double>(shape[1] - r.h));
    lefts.push_back(static_cast<double>(r.x) / static_cast<double>(shape[2] - r.w));
  }
  std::vector<double> want_areas, want_ratios;
  Random random(random_key(5, Purpose::generated));
  while (want_areas.size() < 200000) {
    const double area = 0.02 + 0.31 * random.uniform();
    const double ratio = std::log(0.3) + std::log(11.0) * random.uniform();
    const double h = std::nearbyint(std::sqrt(2000 * area * std::exp(ratio)));
    const double w = std::nearbyint(std::sqrt(2000 * area / std::exp(ratio)));
    if (h >= 40 || w >= 50) continue;
    want_areas.push_back(h * w / 2000);
    want_ratios.push_back(std::log(h / w));
  }
  const auto expect_alike = [](std::vector<double> is, std::vector<double> want, double within) {
    std::sort(is.begin(), is.end());
    std::sort(want.begin(), want.end());
    for (const double q : {0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98}) {
      EXPECT_NEAR(is[static_cast<size_t>(q * static_cast<double>(is.size()))],
                  want[static_cast<size_t>(q * static_cast<double>(want.size()))], within)
          << q;
    }
  };
  expect_alike(areas, want_areas, 0.012);
  expect_alike(ratios, want_ratios, 0.09);
  EXPECT_GE(*std::min_element(areas.begin(), areas.end()), 0.015);
  EXPECT_LE(*std::max_element(areas.begin(), areas.end()), 0.345);
  for (const std::vector<double>& places : {tops, lefts}) {
    double mean = 0;
    for (const double place : places) mean += place / count;
    EXPECT_NEAR(mean, 0.5, 0.02);
    EXPECT_EQ(*std::min_element(places.begin(), places.end()), 0);
    EXPECT_EQ(*std::max_element(places.begin(), places.end()), 1);
  }
}

TEST(RandomErase, LeavesImagesWholeWhereNothingFits) {
  const Shape thin{1, 1, 30};  // a rectangle would have to be lower than one row
  const AugmentChain chain({"random-erase"}, {.own = {{"random-erase", "1"}}}, thin);
  const std::vector<uint8_t> pixels(30, 9);
  std::vector<float> out(30);
  for (uint64_t key = 0; key < 100; ++key) {
    chain.run(pixels.data(), out.data(), mix(key), nullptr);
    EXPECT_EQ(std::count(out.begin(), out.end(), 9.0f), 30);
  }
}

}  // namespace
}  // namespace convoy
