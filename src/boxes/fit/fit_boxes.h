// Default boxes for the objects of a dataset: shapes that overlap them well, found by k-means with
// the overlap (IoU) of centred boxes in place of a distance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boxes/default_boxes.h"

namespace convoy {

// Of two boxes with the same centre.
double centred_overlap(const BoxShape& a, const BoxShape& b);

// The mean over `sizes` of the best overlap with one of `shapes`, and the share of the sizes for
// which it is at least a half: these objects can match well.
struct ShapeFit {
  double mean_overlap = 0, matched = 0;
};
ShapeFit fit_of(std::span<const BoxShape> sizes, std::span<const BoxShape> shapes);

// From the given start: each size goes to the shape with the best overlap (the first of equals),
// each shape to the mean of its sizes; until nothing changes. A shape without sizes stays.
std::vector<BoxShape> cluster_sizes(std::span<const BoxShape> sizes, std::vector<BoxShape> start);

// `count` shapes by rising area, those of the best of several starts. Needs as many sizes. A
// function of sizes, count and seed.
std::vector<BoxShape> fit_shapes(std::span<const BoxShape> sizes, int count, uint64_t seed);

// Divides shapes by rising area among maps, the same number for each, the small ones to the first.
std::vector<std::vector<BoxShape>> on_maps(const std::vector<BoxShape>& shapes, int maps);

}  // namespace convoy
