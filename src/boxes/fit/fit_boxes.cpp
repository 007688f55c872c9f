#include "boxes/fit/fit_boxes.h"

#include <algorithm>

#include "base/error.h"
#include "base/random.h"

namespace convoy {
namespace {

constexpr int starts = 8, most_rounds = 300;

double area(const BoxShape& shape) { return shape.height * shape.width; }

struct Nearest {
  size_t at;
  double overlap;
};
Nearest nearest(const BoxShape& size, std::span<const BoxShape> shapes) {
  Nearest best{0, -1};
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (const double overlap = centred_overlap(size, shapes[k]); overlap > best.overlap) {
      best = {k, overlap};
    }
  }
  return best;
}

// Sizes far from those chosen so far are likely to be chosen next (k-means++).
std::vector<BoxShape> spread_start(std::span<const BoxShape> sizes, int count, Random& random) {
  std::vector<BoxShape> start{sizes[random.below(static_cast<uint32_t>(sizes.size()))]};
  std::vector<double> far(sizes.size(), 1e9);
  while (std::ssize(start) < count) {
    double sum = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const double distance = 1 - centred_overlap(sizes[i], start.back());
      far[i] = std::min(far[i], distance * distance);
      sum += far[i];
    }
    double left = sum * random.uniform();
    size_t chosen = 0;
    while (chosen + 1 < sizes.size() && left >= far[chosen]) left -= far[chosen++];
    start.push_back(sizes[chosen]);
  }
  return start;
}

}  // namespace

double centred_overlap(const BoxShape& a, const BoxShape& b) {
  const double both = std::min(a.height, b.height) * std::min(a.width, b.width);
  const double any = area(a) + area(b) - both;
  return any > 0 ? both / any : 0;
}

ShapeFit fit_of(std::span<const BoxShape> sizes, std::span<const BoxShape> shapes) {
  double sum = 0;
  int64_t matched = 0;
  for (const BoxShape& size : sizes) {
    const double overlap = nearest(size, shapes).overlap;
    sum += overlap;
    matched += overlap >= 0.5;
  }
  const auto count = static_cast<double>(sizes.size());
  return {.mean_overlap = sum / count, .matched = static_cast<double>(matched) / count};
}

std::vector<BoxShape> cluster_sizes(std::span<const BoxShape> sizes, std::vector<BoxShape> start) {
  std::vector<BoxShape> shapes = std::move(start);
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<BoxShape> sums(shapes.size());
    std::vector<int64_t> counts(shapes.size());
    for (const BoxShape& size : sizes) {
      const size_t at = nearest(size, shapes).at;
      sums[at].height += size.height;
      sums[at].width += size.width;
      ++counts[at];
    }
    std::vector<BoxShape> moved = shapes;
    for (size_t k = 0; k < shapes.size(); ++k) {
      const auto count = static_cast<double>(counts[k]);
      if (counts[k] > 0) moved[k] = {sums[k].height / count, sums[k].width / count};
    }
    if (moved == shapes) break;
    shapes = std::move(moved);
  }
  return shapes;
}

std::vector<BoxShape> fit_shapes(std::span<const BoxShape> sizes, int count, uint64_t seed) {
  expect(count > 0 && std::ssize(sizes) >= count, "as many objects as shapes");
  std::vector<BoxShape> best;
  double best_overlap = -1;
  for (int i = 0; i < starts; ++i) {
    Random random(random_key(seed, Purpose::init, static_cast<uint64_t>(i)));
    std::vector<BoxShape> shapes = cluster_sizes(sizes, spread_start(sizes, count, random));
    const double overlap = fit_of(sizes, shapes).mean_overlap;
    if (overlap <= best_overlap) continue;
    best_overlap = overlap;
    best = std::move(shapes);
  }
  std::ranges::stable_sort(best, {}, area);
  return best;
}

std::vector<std::vector<BoxShape>> on_maps(const std::vector<BoxShape>& shapes, int maps) {
  expect(maps > 0 && std::ssize(shapes) % maps == 0, "the same number of shapes for each map");
  const auto each = shapes.size() / static_cast<size_t>(maps);
  std::vector<std::vector<BoxShape>> divided;
  for (auto from = shapes.begin(); from != shapes.end();) {
    const auto to = from + static_cast<std::ptrdiff_t>(each);
    divided.emplace_back(from, to);
    from = to;
  }
  return divided;
}

}  // namespace convoy
