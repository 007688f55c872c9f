// Which part of a picture becomes the image. A view is a pure function of the picture's size, the
// boxes of its objects and random numbers.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "data/picture_source.h"
#include "data/picture_spec.h"
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
  bool is_random = false;
  std::unique_ptr<ViewMaker> (*make)(const PictureSpec&) = nullptr;
};

const std::vector<ViewDef>& view_catalog();

// Unknown names are usage errors.
const ViewDef& find_view(std::string_view name);

// The columns [x, x + width) of rows [y, y + height), resized to size x size.
PictureView crop_view(int64_t x, int64_t y, int64_t width, int64_t height, int64_t size);

// Smallest and largest of an option, or the view's own.
struct Range {
  double low, high;
};
Range range_or(const std::vector<double>& given, Range own);

}  // namespace convoy
