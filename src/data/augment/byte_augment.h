// An augmentation that works on bytes, so it must run before any that makes other values of them.
// The chain calls it before the tables convert the image to floats.
#pragma once

#include "data/augment/augment.h"

namespace convoy {

class ByteAugment : public Augment {
 public:
  // The bytes of scratch that `apply_bytes` uses.
  virtual size_t byte_needs(const Shape& image) const = 0;

  // Changes the image in place.
  virtual void apply_bytes(uint8_t* pixels, const Shape& image, std::byte* scratch,
                           Random random) const = 0;

  const ByteAugment* on_bytes() const final { return this; }

  // The same on floats that are whole numbers in 0..255.
  size_t needs(const Shape& image) const final;
  void apply(float* pixels, const Shape& image, std::byte* scratch, Random random) const final;
};

}  // namespace convoy
