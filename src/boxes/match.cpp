#include "boxes/match.h"

#include <algorithm>

#include "base/error.h"
#include "boxes/box_code.h"
#include "kernels/overlap.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

constexpr float least_overlap = 0.5f;
constexpr int32_t nothing = -1;
constexpr int64_t code_size = 4;

}  // namespace

// Planes are padded with empty boxes, which overlap nothing.
BoxMatcher::BoxMatcher(const DefaultBoxSpec& spec)
    : boxes_(spec),
      padded_(round_up(boxes_.count(), kernels::overlap_group)),
      planes_(static_cast<size_t>(5 * padded_)) {
  for (int64_t i = 0; i < boxes_.count(); ++i) {
    const Box& box = boxes_.corners()[static_cast<size_t>(i)];
    const float values[] = {box.ymin, box.xmin, box.ymax, box.xmax, box.area()};
    for (int64_t plane = 0; plane < 5; ++plane) {
      planes_[static_cast<size_t>(plane * padded_ + i)] = values[plane];
    }
  }
}

int64_t BoxMatcher::match(std::span<const Box> objects, std::span<const int32_t> classes,
                          Workplace& place, std::span<int32_t> box_classes,
                          std::span<float> codes) const {
  const auto count = static_cast<size_t>(boxes_.count());
  expect(classes.size() == objects.size() && box_classes.size() == count &&
             codes.size() == count * code_size,
         "spans of other lengths than the boxes");
  place.best.assign(static_cast<size_t>(padded_), 0.0f);
  place.best_object.assign(static_cast<size_t>(padded_), nothing);
  place.best_box.resize(objects.size());
  const auto plane = [&](int64_t i) { return planes_.data() + i * padded_; };
  const kernels::BoxPlanes planes{plane(0), plane(1), plane(2), plane(3), plane(4), padded_};
  for (size_t i = 0; i < objects.size(); ++i) {
    const Box& box = objects[i];
    const float object[] = {box.ymin, box.xmin, box.ymax, box.xmax};
    place.best_box[i] = kernels::overlap_with_all(planes, object, static_cast<int32_t>(i),
                                                  place.best.data(), place.best_object.data());
  }
  for (size_t i = 0; i < count; ++i) {
    if (place.best[i] < least_overlap) place.best_object[i] = nothing;
  }
  for (size_t i = objects.size(); i-- > 0;) {
    place.best_object[static_cast<size_t>(place.best_box[i])] = static_cast<int32_t>(i);
  }
  int64_t matched = 0;
  for (size_t i = 0; i < count; ++i) {
    BoxCode code{};
    box_classes[i] = 0;
    if (const int32_t object = place.best_object[i]; object != nothing) {
      box_classes[i] = classes[static_cast<size_t>(object)];
      code = encode(objects[static_cast<size_t>(object)], boxes_.centred()[i]);
      ++matched;
    }
    const float values[] = {code.ty, code.tx, code.th, code.tw};
    std::copy_n(values, code_size, codes.begin() + static_cast<int64_t>(i) * code_size);
  }
  return matched;
}

}  // namespace convoy
