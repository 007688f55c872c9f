#include "data/shapes/shape_scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boxes/box.h"

namespace convoy {
namespace {

constexpr int64_t side = 96;

struct Extent {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
  void add(double x, double y) {
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
  }
};

// Of the outline itself, on a grid of its own.
Extent extent_of(const ShapePlace& place) {
  constexpr double step = 0.1;
  Extent extent;
  const double reach = std::hypot(place.half_width, place.half_height);
  for (double y = place.cy - reach; y <= place.cy + reach; y += step) {
    for (double x = place.cx - reach; x <= place.cx + reach; x += step) {
      if (place.has(x, y)) extent.add(x, y);
    }
  }
  return extent;
}

TEST(ShapeScene, BoxesTouchTheOutlinesOnAllSides) {
  std::set<int> kinds;
  for (uint64_t key = 0; key < 12; ++key) {
    for (const ShapeObject& object : shape_scene(side, key).objects) {
      const Extent extent = extent_of(object.place);
      const PixelBox& box = object.box;
      EXPECT_NEAR(box.x, extent.left, 0.5) << key;
      EXPECT_NEAR(box.y, extent.top, 0.5) << key;
      EXPECT_NEAR(box.x + box.width, extent.right, 0.5) << key;
      EXPECT_NEAR(box.y + box.height, extent.bottom, 0.5) << key;
      kinds.insert(object.place.kind);
    }
  }
  EXPECT_EQ(kinds.size(), size_t{shape_kinds});
}

// The pixels that change where the uppermost object is left out.
TEST(ShapeScene, PixelsOfAnObjectFillItsBoxAndNoMore) {
  for (uint64_t key = 100; key < 140; ++key) {
    ShapeScene scene = shape_scene(side, key);
    const PixelBox box = scene.objects.back().box;
    const Pixels with = paint(scene);
    scene.objects.pop_back();
    const Pixels without = paint(scene);
    Extent changed;
    for (int64_t y = 0; y < side; ++y) {
      for (int64_t x = 0; x < side; ++x) {
        if (std::equal(with.at(x, y), with.at(x, y) + 3, without.at(x, y))) continue;
        changed.add(static_cast<double>(x), static_cast<double>(y));
        changed.add(static_cast<double>(x) + 1, static_cast<double>(y) + 1);
      }
    }
    EXPECT_GE(changed.left, std::floor(box.x)) << key;
    EXPECT_GE(changed.top, std::floor(box.y)) << key;
    EXPECT_LE(changed.right, std::ceil(box.x + box.width)) << key;
    EXPECT_LE(changed.bottom, std::ceil(box.y + box.height)) << key;
    // A pixel of which a sixteenth is covered may keep its colour.
    EXPECT_LE(changed.left, box.x + 1.5) << key;
    EXPECT_LE(changed.top, box.y + 1.5) << key;
    EXPECT_GE(changed.right, box.x + box.width - 1.5) << key;
    EXPECT_GE(changed.bottom, box.y + box.height - 1.5) << key;
  }
}

TEST(ShapeScene, SizesAndPlacesAreWithinTheirLimits) {
  int overlapping = 0, small = 0, large = 0;
  std::set<size_t> counts;
  for (uint64_t key = 0; key < 200; ++key) {
    const ShapeScene scene = shape_scene(side, key);
    counts.insert(scene.objects.size());
    for (size_t i = 0; i < scene.objects.size(); ++i) {
      const PixelBox& box = scene.objects[i].box;
      const double longer = std::max(box.width, box.height) / side;
      EXPECT_GE(longer, least_shape);
      EXPECT_LE(longer, most_shape);
      EXPECT_GE(std::min(box.x, box.y), 0);
      EXPECT_LE(std::max(box.x + box.width, box.y + box.height), side);
      EXPECT_LE(scene.objects[i].area, box.width * box.height);
      small += longer < 0.12;
      large += longer > 0.4;
      for (size_t k = 0; k < i; ++k) {
        const PixelBox& other = scene.objects[k].box;
        overlapping +=
            std::min(box.x + box.width, other.x + other.width) > std::max(box.x, other.x) &&
            std::min(box.y + box.height, other.y + other.height) > std::max(box.y, other.y);
      }
    }
  }
  EXPECT_EQ(counts, (std::set<size_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_GT(overlapping, 20);
  EXPECT_GT(small, 50);
  EXPECT_GT(large, 50);
}

TEST(ShapeScene, FollowsFromItsKey) {
  EXPECT_EQ(paint(shape_scene(side, 7)).bytes, paint(shape_scene(side, 7)).bytes);
  EXPECT_NE(paint(shape_scene(side, 7)).bytes, paint(shape_scene(side, 8)).bytes);
}

}  // namespace
}  // namespace convoy
