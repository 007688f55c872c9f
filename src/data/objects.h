// The tensors of a sample that has objects, for detection. A dataset of objects adds them in
// `read`; most of them have no fixed shape, since pictures have any number of objects.
#pragma once

#include <string_view>

#include "boxes/box.h"
#include "data/sample.h"

namespace convoy::object_tensor {

// f32 [n, 4]: ymin, xmin, ymax, xmax of each object as fractions of the picture's height and width:
// of the whole picture, not of the part that became the image.
inline constexpr std::string_view boxes = "boxes";
// s32 [n]: the class of each object, from 1; 0 is the background.
inline constexpr std::string_view classes = "classes";
// f64 [n, 7]: x, y, width, height in pixels of the picture, class, area, 1 for a crowd: the
// numbers of the annotations, with which evaluation compares. Objects that training leaves out
// (those of an impossible size) are here too.
inline constexpr std::string_view truth = "truth";
inline constexpr int truth_columns = 7;
inline constexpr int truth_class = 4;  // the column
// s64 []: the picture's number in its annotations.
inline constexpr std::string_view image_id = "image_id";
// s32 [2]: height and width of the picture in pixels.
inline constexpr std::string_view picture_size = "picture_size";

// Those of a fixed shape.
TensorList fixed();

// The values of all of them.
struct Values {
  std::span<const Box> boxes;
  std::span<const int32_t> classes;
  std::span<const double> truth;
  int64_t image_id, height, width;
};
void add(const Values& values, Sample& sample);

}  // namespace convoy::object_tensor
