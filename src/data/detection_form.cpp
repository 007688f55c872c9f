#include "data/detection_form.h"

#include <algorithm>

#include "data/objects.h"

namespace convoy {
namespace {

constexpr size_t head = 3;  // image id, height, width: before the rows

// The objects in the image, and the memory of their match.
struct Workplace {
  std::vector<Box> boxes;
  std::vector<int32_t> classes;
  BoxMatcher::Workplace match;
};

struct Range {
  double low, high;
};

// From fractions of the picture to fractions of the image.
Range range_of(const Geometry::Axis& axis, float low, float high, int64_t pixels) {
  const double a = axis.at(low) / static_cast<double>(pixels),
               b = axis.at(high) / static_cast<double>(pixels);
  return {std::min(a, b), std::max(a, b)};
}

bool has_centre(const Range& range) {
  const double centre = (range.low + range.high) / 2;
  return 0 < centre && centre < 1;
}

float clipped(double x) { return static_cast<float>(std::clamp(x, 0.0, 1.0)); }

void find_objects(const Sample& sample, int64_t height, int64_t width, Workplace& place) {
  place.boxes.clear();
  place.classes.clear();
  if (!sample.find(object_tensor::boxes)) return;  // it could not be read
  const auto sides = sample.get<float>(object_tensor::boxes);
  const auto classes = sample.get<int32_t>(object_tensor::classes);
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto side = sides.subspan(i * 4, 4);
    const Range y = range_of(sample.geometry.y, side[0], side[2], height);
    const Range x = range_of(sample.geometry.x, side[1], side[3], width);
    if (!has_centre(y) || !has_centre(x)) continue;
    place.boxes.push_back({clipped(y.low), clipped(x.low), clipped(y.high), clipped(x.high)});
    place.classes.push_back(classes[i]);
  }
}

}  // namespace

TensorList DetectionForm::tensors() const {
  const int64_t count = boxes().count();
  return {{"box_classes", {{count}, DType::s32}}, {"box_codes", {{count, 4}, DType::f32}}};
}

void DetectionForm::write(const Sample& sample, Batch& batch, int64_t i) const {
  thread_local Workplace place;  // keeps its memory between samples
  find_objects(sample, height_, width_, place);
  const auto count = static_cast<size_t>(boxes().count());
  const auto first = static_cast<size_t>(i) * count;
  matcher_.match(place.boxes, place.classes, place.match,
                 {batch.data<int32_t>("box_classes") + first, count},
                 {batch.data<float>("box_codes") + first * 4, count * 4});
  std::vector<double>& details = batch.details[static_cast<size_t>(i)];
  const auto size = sample.get<int32_t>(object_tensor::picture_size);
  details = {static_cast<double>(sample.get<int64_t>(object_tensor::image_id)[0]),
             static_cast<double>(size[0]), static_cast<double>(size[1])};
  if (!sample.find(object_tensor::truth)) return;
  const auto truth = sample.get<double>(object_tensor::truth);
  details.insert(details.end(), truth.begin(), truth.end());
}

PictureTruth truth_of(const Batch& batch, int64_t i) {
  const std::vector<double>& details = batch.details[static_cast<size_t>(i)];
  expect(details.size() >= head, "a sample with details");
  return {.image_id = static_cast<int64_t>(details[0]),
          .height = static_cast<int64_t>(details[1]),
          .width = static_cast<int64_t>(details[2]),
          .objects = std::span(details).subspan(head)};
}

}  // namespace convoy
