#include "boxes/match.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "boxes/box_code.h"
#include "support/fixture.h"

namespace convoy {
namespace {

struct Matched {
  std::vector<int32_t> classes;
  std::vector<float> codes;
  int64_t count;
};

Matched matched(const BoxMatcher& matcher, const std::vector<Box>& objects,
                const std::vector<int32_t>& classes) {
  const auto boxes = static_cast<size_t>(matcher.boxes().count());
  Matched found{std::vector<int32_t>(boxes, -1), std::vector<float>(boxes * 4, -1), 0};
  BoxMatcher::Workplace place;
  found.count = matcher.match(objects, classes, place, found.classes, found.codes);
  return found;
}

std::vector<Box> boxes_of(const nlohmann::json& rows) {
  std::vector<Box> boxes;
  for (const auto& row : rows) {
    boxes.push_back(
        {row[0].get<float>(), row[1].get<float>(), row[2].get<float>(), row[3].get<float>()});
  }
  return boxes;
}

TEST(BoxMatcher, DefaultBoxesAreThoseOfTheFixture) {
  const nlohmann::json all = test::fixture("ssd_data").at("default_boxes");
  const DefaultBoxes boxes(ssd300_boxes());
  const auto stride = all.at("stride").get<size_t>();
  const auto values = [](const CentredBox& box) {
    return std::array<double, 4>{box.cy, box.cx, box.h, box.w};
  };
  for (size_t i = 0; i < all.at("boxes").size(); ++i) {
    for (size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(values(boxes.centred()[i * stride])[k], all.at("boxes")[i][k], 1e-7);
    }
  }
  std::array<double, 4> sums{};
  for (const CentredBox& box : boxes.centred()) {
    for (size_t k = 0; k < 4; ++k) sums[k] += values(box)[k];
  }
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(sums[k], all.at("sums")[k], 1e-3);
}

TEST(BoxMatcher, MatchesAndCodesAreThoseOfTheFixture) {
  const BoxMatcher matcher(ssd300_boxes());
  const nlohmann::json all = test::fixture("ssd_data");
  for (const auto& each : all.at("matches")) {
    const std::string name = each.at("name");
    const Matched found = matched(matcher, boxes_of(each.at("objects")),
                                  each.at("classes").get<std::vector<int32_t>>());
    const auto& rows = each.at("matched");
    EXPECT_EQ(found.count, static_cast<int64_t>(rows.size())) << name;
    std::vector<int32_t> classes(found.classes.size());
    std::vector<float> codes(found.codes.size());
    for (const auto& row : rows) {
      const auto at = row[0].get<size_t>();
      classes[at] = row[1];
      for (size_t k = 0; k < 4; ++k) codes[at * 4 + k] = row[2 + k].get<float>();
    }
    EXPECT_EQ(found.classes, classes) << name;
    for (size_t i = 0; i < codes.size(); ++i) {
      // Logarithms of sizes of nothing are large.
      ASSERT_NEAR(found.codes[i], codes[i], 1e-4 + 1e-5 * std::abs(codes[i])) << name << " " << i;
    }
  }
}

// The same by loops, without vectors.
std::vector<int32_t> plainly(const DefaultBoxes& boxes, const std::vector<Box>& objects) {
  const size_t count = boxes.corners().size();
  std::vector<int32_t> owner(count, -1);
  std::vector<float> best(count, 0);
  std::vector<size_t> first(objects.size(), 0);
  for (size_t g = 0; g < objects.size(); ++g) {
    float most = -1;
    for (size_t i = 0; i < count; ++i) {
      const Box& box = boxes.corners()[i];
      const float both = intersection(objects[g], box);
      const float overlap = both > 0 ? both / ((box.area() + objects[g].area()) - both) : 0;
      if (overlap > best[i]) {
        best[i] = overlap;
        owner[i] = static_cast<int32_t>(g);
      }
      if (overlap > most) {
        most = overlap;
        first[g] = i;
      }
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (best[i] < 0.5f) owner[i] = -1;
  }
  for (size_t g = objects.size(); g-- > 0;) owner[first[g]] = static_cast<int32_t>(g);
  return owner;
}

TEST(BoxMatcherOp, VectorsGiveWhatLoopsGive) {
  // Cells that make no whole vectors, and shapes that are equal.
  const DefaultBoxSpec odd{
      .image = 100,
      .maps = {{7, 14, ssd_shapes(100, 20, 20, {1})}, {3, 33, ssd_shapes(100, 50, 80, {2})}}};
  for (const DefaultBoxSpec& spec : {ssd300_boxes(), odd}) {
    const BoxMatcher matcher(spec);
    for (uint64_t round = 0; round < 30; ++round) {
      Random random(mix(round + 1));
      std::vector<Box> objects;
      std::vector<int32_t> classes;
      for (uint64_t i = 0; i < round; ++i) {
        // On a grid, so that overlaps are often equal.
        const auto side = [&] { return static_cast<float>(random.below(33)) / 32; };
        const float y0 = side(), y1 = side(), x0 = side(), x1 = side();
        objects.push_back({std::min(y0, y1), std::min(x0, x1), std::max(y0, y1), std::max(x0, x1)});
        classes.push_back(static_cast<int32_t>(i + 1));
      }
      const Matched found = matched(matcher, objects, classes);
      const std::vector<int32_t> owner = plainly(matcher.boxes(), objects);
      int64_t count = 0;
      for (size_t i = 0; i < owner.size(); ++i) {
        ASSERT_EQ(found.classes[i], owner[i] + 1) << round << " " << i;
        count += owner[i] >= 0;
        const BoxCode code = owner[i] < 0 ? BoxCode{}
                                          : encode(objects[static_cast<size_t>(owner[i])],
                                                   matcher.boxes().centred()[i]);
        ASSERT_EQ(found.codes[i * 4], code.ty);
        ASSERT_EQ(found.codes[i * 4 + 3], code.tw);
        ASSERT_TRUE(std::isfinite(code.th));
      }
      ASSERT_EQ(found.count, count);
    }
  }
}

}  // namespace
}  // namespace convoy
