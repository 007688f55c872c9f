// Which part of a picture becomes the image. A view is a pure function of the picture's size, the
// boxes of its objects and random numbers.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "data/picture_spec.h"
#include "data/sources/picture_source.h"
#include "pictures/resize.h"

namespace convoy {

class ViewMaker {
 public:
  virtual ~ViewMaker() = default;
  virtual PictureView make(int64_t width, int64_t height, const std::vector<Box>& boxes,
                           Random random) const = 0;
};

// One entry of the folder data/views.
struct ViewDef {
  std::string_view name;  // as in --crop
  std::string_view help;
  bool is_random = false;  // for training alone, and so are its options
  DescribeOptions describe =
      nullptr;  // its options, which `make` reads from `PictureSpec::options`
  // What of them an evaluation needs to know.
  ToldOptions (*told)(const PictureSpec&) = nullptr;
  std::unique_ptr<ViewMaker> (*make)(const PictureSpec&) = nullptr;
};

const std::vector<ViewDef>& view_catalog();

// Unknown names are usage errors.
const ViewDef& find_view(std::string_view name);

// The columns [x, x + width) of rows [y, y + height), resized to size x size.
PictureView crop_view(int64_t x, int64_t y, int64_t width, int64_t height, int64_t size);

// --eval-resize, of views that resize all of the picture before they cut.
struct ResizeOption {
  int pixels = 0;

  void describe(Fields& field);
  // Of the picture's shorter side, for an image of that size. A smaller one is a usage error.
  int64_t of(int64_t image_size) const;
};
ToldOptions told_resize(const PictureSpec& spec);

// --crop-area and --crop-ratio, of random crops.
struct RandomCropOptions {
  struct Range {
    double low, high;
  };
  std::vector<double> area, ratio;  // smallest and largest; empty: the view's own

  void describe(Fields& field);
  Range area_or(Range own) const { return range_or(area, own); }
  Range ratio_or(Range own) const { return range_or(ratio, own); }

 private:
  static Range range_or(const std::vector<double>& given, Range own) {
    return given.empty() ? own : Range{given.front(), given.back()};
  }
};

}  // namespace convoy
