// An augmentation that works on bytes, and so has to stand before anything that makes other values
// of them. The chain gives it the picture before the tables make floats of it.
#pragma once

#include "data/augment/augment.h"

namespace convoy {

class ByteAugment : public Augment {
 public:
  // Bytes of scratch that `apply_bytes` uses.
  virtual size_t byte_needs(const Shape& image) const = 0;

  // Changes the image in place.
  virtual void apply_bytes(uint8_t* pixels, const Shape& image, std::byte* scratch,
                           Random random) const = 0;

  const ByteAugment* on_bytes() const final { return this; }

  // The same to floats that are whole numbers in 0..255.
  size_t needs(const Shape& image) const final;
  void apply(float* pixels, const Shape& image, std::byte* scratch, Random random) const final;
};

}  // namespace convoy
