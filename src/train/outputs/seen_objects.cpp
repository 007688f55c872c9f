#include "train/outputs/seen_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/objects.h"
#include "pictures/drawing.h"

namespace convoy {
namespace {

// From pixels of the picture to pixels of the image.
template <class Object>
DrawnObject placed(const Object& object, std::string label, const Sample& sample) {
  const auto size = sample.get<int32_t>(object_tensor::picture_size);
  const auto across = [&](double x) { return sample.geometry.x.at(x / size[1]); };
  const auto down = [&](double y) { return sample.geometry.y.at(y / size[0]); };
  return {.x = across(object.x),
          .y = down(object.y),
          .width = across(object.x + object.width) - across(object.x),
          .height = down(object.y + object.height) - down(object.y),
          .label = std::move(label),
          .colour = object.category + 1};
}

}  // namespace

SeenObjects::SeenObjects(const ObjectResults& results, const Dataset& data)
    : results_(results), data_(data), memory_(static_cast<size_t>(stored_bytes(data.image()))) {
  for (const ScoredPicture& picture : results.pictures) of_image_[picture.image] = &picture;
}

const ScoredPicture* SeenObjects::open(int64_t index) {
  sample_.begin(memory_.data(), data_.image_type());
  try {
    data_.read(index, 0, sample_);
  } catch (const Error& error) {
    if (error.fault() != Fault::data) throw;
    return nullptr;
  }
  const auto found = of_image_.find(sample_.get<int64_t>(object_tensor::image_id)[0]);
  return found == of_image_.end() ? nullptr : found->second;
}

Pixels SeenObjects::with_truths(const ScoredPicture& picture) const {
  std::vector<DrawnObject> drawn;
  for (const CocoTruth& truth : picture.truths) {
    drawn.push_back(placed(truth, results_.classes[static_cast<size_t>(truth.category)], sample_));
  }
  return drawn_objects(pixels(), drawn);
}

Pixels SeenObjects::with_found(const ScoredPicture& picture) const {
  std::vector<DrawnObject> drawn;
  for (const CocoDetection& one : picture.found) {
    if (one.score < least_drawn_score) continue;
    const std::string& name = results_.classes[static_cast<size_t>(one.category)];
    drawn.push_back(placed(one, fmt::format("{} {:.2f}", name, one.score), sample_));
  }
  return drawn_objects(pixels(), drawn);
}

Pixels SeenObjects::pixels() const {
  const Shape image = data_.image_shape();
  const int64_t plane = image[1] * image[2];
  Pixels made{.region = {0, 0, image[2], image[1]}, .bytes = {}};
  made.bytes.reserve(static_cast<size_t>(4 * plane));
  for (int64_t at = 0; at < plane; ++at) {
    for (int64_t c = 0; c < 3; ++c) {
      made.bytes.push_back(value(std::min(c, image[0] - 1) * plane + at));
    }
    made.bytes.push_back(0);
  }
  return made;
}

uint8_t SeenObjects::value(int64_t at) const {
  if (data_.image_type() == DType::u8) return sample_.pixels()[at];
  return static_cast<uint8_t>(std::clamp(std::lround(sample_.values()[at]), 0l, 255l));
}

}  // namespace convoy
