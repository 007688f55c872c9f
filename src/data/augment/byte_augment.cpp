#include "data/augment/byte_augment.h"

#include <algorithm>

#include "tensor/arena.h"

namespace convoy {
namespace {

size_t picture_bytes(const Shape& image) {
  return static_cast<size_t>(round_up(image.count(), static_cast<int64_t>(Arena::alignment)));
}

}  // namespace

size_t ByteAugment::needs(const Shape& image) const {
  return picture_bytes(image) + byte_needs(image);
}

void ByteAugment::apply(float* pixels, const Shape& image, std::byte* scratch,
                        Random random) const {
  auto* bytes = reinterpret_cast<uint8_t*>(scratch);
  std::transform(pixels, pixels + image.count(), bytes,
                 [](float value) { return static_cast<uint8_t>(value); });
  apply_bytes(bytes, image, scratch + picture_bytes(image), random);
  std::copy_n(bytes, image.count(), pixels);
}

}  // namespace convoy
