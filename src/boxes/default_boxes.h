// The default boxes (anchors) of an SSD network: for each feature map some shapes, each at the
// centre of every cell. A network predicts a class and an offset for each of them.
//
// Their order, everywhere outside of oneDNN: map after map, in each map shape after shape, in each
// shape row after row. This is the order of the values in a head's output, [shape * k, h, w].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boxes/box.h"

namespace convoy {

// The size of a default box as fractions of the image.
struct BoxShape {
  double height, width;
  bool operator==(const BoxShape&) const = default;
};

// The shapes of a map in SSD (Liu 2016): a square of `size`, one of sqrt(size * next_size), and for
// each ratio a wide and a tall box with the area of the first square. Lengths are in pixels of an
// image with that side.
std::vector<BoxShape> ssd_shapes(double image, double size, double next_size,
                                 const std::vector<double>& ratios);

// One feature map.
struct DefaultBoxMap {
  int64_t cells;  // per row and column
  double step;    // distance of two centres, in pixels of the image
  std::vector<BoxShape> shapes;

  int64_t boxes() const { return static_cast<int64_t>(shapes.size()) * cells * cells; }
  bool operator==(const DefaultBoxMap&) const = default;
};

struct DefaultBoxSpec {
  double image;  // side of the (square) image
  std::vector<DefaultBoxMap> maps;

  bool operator==(const DefaultBoxSpec&) const = default;
};

// The 8,732 boxes of SSD300 (Liu 2016), with the sizes of MLPerf's SSD-ResNet34.
const DefaultBoxSpec& ssd300_boxes();

// A box by its centre and size.
struct CentredBox {
  float cy, cx, h, w;
};

class DefaultBoxes {
 public:
  // Centres and sizes are clipped to [0, 1]; corners may lie outside.
  explicit DefaultBoxes(const DefaultBoxSpec& spec);

  int64_t count() const { return static_cast<int64_t>(corners_.size()); }
  const std::vector<DefaultBoxMap>& maps() const { return maps_; }
  // In the order above.
  std::span<const CentredBox> centred() const { return centred_; }
  std::span<const Box> corners() const { return corners_; }

 private:
  std::vector<DefaultBoxMap> maps_;
  std::vector<CentredBox> centred_;
  std::vector<Box> corners_;
};

}  // namespace convoy
