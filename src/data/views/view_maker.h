// A view chooses which part of a picture becomes the image. It is a pure function of the picture's
// size, the boxes of its objects and random numbers.
#pragma once

#include <memory>
#include <optional>
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
  bool is_random = false;  // for training only, like its options
  bool floats = false;     // its images are floats of 0..255 that are not rounded
  // How it resizes; nothing: as --interpolation says.
  std::optional<Interpolation> how = {};
  // Its options, which `make` reads from `PictureSpec::options`.
  DescribeOptions describe = nullptr;
  // The options that evaluation needs to know.
  ToldOptions (*told)(const PictureSpec&) = nullptr;
  std::unique_ptr<ViewMaker> (*make)(const PictureSpec&) = nullptr;
};

const std::vector<ViewDef>& view_catalog();

// An unknown name is a usage error.
const ViewDef& find_view(std::string_view name);

// The columns [x, x + width) of rows [y, y + height), resized to size x size.
PictureView crop_view(int64_t x, int64_t y, int64_t width, int64_t height, int64_t size);

// --eval-resize, for views that resize the whole picture before they crop.
struct ResizeOption {
  int pixels = 0;

  void describe(Fields& field);
  // The length of the picture's shorter side, for an image of that size. A smaller value is a usage
  // error.
  int64_t of(int64_t image_size) const;
};
ToldOptions told_resize(const PictureSpec& spec);

// --crop-area and --crop-ratio, for random crops.
struct RandomCropOptions {
  struct Range {
    double low, high;
  };
  std::vector<double> area, ratio;  // smallest and largest; empty: the view's defaults

  void describe(Fields& field);
  Range area_or(Range own) const { return range_or(area, own); }
  Range ratio_or(Range own) const { return range_or(ratio, own); }

 private:
  static Range range_or(const std::vector<double>& given, Range own) {
    return given.empty() ? own : Range{given.front(), given.back()};
  }
};

}  // namespace convoy
