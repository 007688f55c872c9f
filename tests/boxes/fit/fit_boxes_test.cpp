#include "boxes/fit/fit_boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace convoy {
namespace {

// Sizes around a few shapes.
std::vector<BoxShape> sizes_around(const std::vector<BoxShape>& shapes, int each, double spread) {
  std::vector<BoxShape> sizes;
  Random random(9);
  for (const BoxShape& shape : shapes) {
    for (int i = 0; i < each; ++i) {
      const auto near = [&](double side) { return side * std::exp(spread * random.normal()); };
      sizes.push_back({near(shape.height), near(shape.width)});
    }
  }
  return sizes;
}

// K-means written once more, with boxes as rectangles at the origin and means of lists.
std::vector<BoxShape> plain_clusters(const std::vector<BoxShape>& sizes,
                                     std::vector<BoxShape> centres) {
  for (bool moves = true; moves;) {
    std::vector<std::vector<BoxShape>> members(centres.size());
    for (const BoxShape& size : sizes) {
      std::vector<double> distances;
      for (const BoxShape& centre : centres) {
        const double h = size.height < centre.height ? size.height : centre.height;
        const double w = size.width < centre.width ? size.width : centre.width;
        const double both = h * w;
        distances.push_back(
            1 - both / (size.height * size.width + centre.height * centre.width - both));
      }
      const auto least = std::min_element(distances.begin(), distances.end());
      members[static_cast<size_t>(least - distances.begin())].push_back(size);
    }
    moves = false;
    for (size_t k = 0; k < centres.size(); ++k) {
      if (members[k].empty()) continue;
      double height = 0, width = 0;
      for (const BoxShape& one : members[k]) {
        height += one.height;
        width += one.width;
      }
      const auto count = static_cast<double>(members[k].size());
      const BoxShape mean{height / count, width / count};
      if (std::abs(mean.height - centres[k].height) + std::abs(mean.width - centres[k].width) >
          1e-12)
        moves = true;
      centres[k] = mean;
    }
  }
  return centres;
}

TEST(FitBoxes, ClustersAsPlainKMeansDoes) {
  const auto sizes = sizes_around({{0.1, 0.2}, {0.3, 0.15}, {0.5, 0.5}, {0.8, 0.4}}, 60, 0.35);
  for (const size_t first : {0u, 17u, 100u}) {
    const std::vector<BoxShape> start{sizes[first], sizes[first + 30], sizes[first + 61],
                                      sizes[first + 120], sizes[first + 139]};
    const auto made = cluster_sizes(sizes, start), plain = plain_clusters(sizes, start);
    ASSERT_EQ(made.size(), plain.size());
    for (size_t k = 0; k < made.size(); ++k) {
      EXPECT_NEAR(made[k].height, plain[k].height, 1e-9);
      EXPECT_NEAR(made[k].width, plain[k].width, 1e-9);
    }
  }
}

TEST(FitBoxes, FindsTheShapesThatTheSizesHave) {
  const std::vector<BoxShape> shapes{{0.05, 0.1}, {0.2, 0.1}, {0.3, 0.4}, {0.9, 0.5}};
  const auto sizes = sizes_around(shapes, 50, 0.05);
  const auto found = fit_shapes(sizes, 4, 1);
  ASSERT_EQ(found.size(), 4u);
  for (size_t k = 0; k < shapes.size(); ++k) EXPECT_GT(centred_overlap(found[k], shapes[k]), 0.95);
  EXPECT_EQ(found, fit_shapes(sizes, 4, 1));
  const ShapeFit fit = fit_of(sizes, found);
  EXPECT_GT(fit.mean_overlap, 0.9);
  EXPECT_EQ(fit.matched, 1);
  // More shapes fit no worse, and no start of plain k-means that is tried here is better.
  const auto wide = sizes_around(shapes, 50, 0.5);
  const double own = fit_of(wide, fit_shapes(wide, 6, 1)).mean_overlap;
  EXPECT_GT(own, fit_of(wide, fit_shapes(wide, 3, 1)).mean_overlap);
  for (size_t at = 0; at < 10; ++at) {
    std::vector<BoxShape> start;
    for (size_t k = 0; k < 6; ++k) start.push_back(wide[(at * 7 + k * 31) % wide.size()]);
    EXPECT_GT(own + 0.01, fit_of(wide, plain_clusters(wide, start)).mean_overlap);
  }
}

TEST(FitBoxes, SmallShapesGoToTheFirstMaps) {
  const std::vector<BoxShape> shapes{{0.1, 0.1}, {0.2, 0.1}, {0.3, 0.3}, {0.5, 0.5}};
  EXPECT_EQ(on_maps(shapes, 2), (std::vector<std::vector<BoxShape>>{{{0.1, 0.1}, {0.2, 0.1}},
                                                                    {{0.3, 0.3}, {0.5, 0.5}}}));
}

TEST(FitBoxes, AnEmptySizeOverlapsNothing) {
  EXPECT_EQ(centred_overlap({0, 0}, {0, 0}), 0);
  EXPECT_EQ(centred_overlap({0.5, 0.5}, {0.5, 0.5}), 1);
  EXPECT_DOUBLE_EQ(centred_overlap({0.5, 1}, {1, 0.5}), 0.25 / 0.75);
}

}  // namespace
}  // namespace convoy
