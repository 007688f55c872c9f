// An augmentation changes an image between the dataset and the batch. It is a pure function of the
// image and its own random numbers, allocates nothing, and declares beforehand the scratch memory
// it needs.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "config/option_texts.h"
#include "tensor/shape.h"

namespace convoy {

// The input from which augmentations are made: their options, each declared
// (`AugmentDef::describe`) and read in the file that uses it, and facts about the data.
struct AugmentOptions {
  OptionTexts own = {};
  std::vector<double> mean{0}, std{1};  // the dataset's, in 0..1, per channel or one for all
  bool bgr = false;                     // the order of the channels
};

// A shift by whole pixels and a mirroring: out(y, x) = in(y + dy, (mirrored ? w - 1 - x : x) + dx),
// and 0 where that is outside the image.
struct Placement {
  int64_t dy = 0, dx = 0;
  bool mirrored = false;
  // Whether dy, dx are in use. A second shift cannot be added: the first one cut pixels off.
  bool moved = false;
};

class ByteAugment;

// `image` is always [c, h, w].
class Augment {
 public:
  virtual ~Augment() = default;

  // The bytes of scratch that `apply` uses.
  virtual size_t needs(const Shape& image) const {
    (void)image;
    return 0;
  }

  // Changes the image in place. Pixel values are 0..255 until a normaliser changes them.
  virtual void apply(float* pixels, const Shape& image, std::byte* scratch,
                     Random random) const = 0;

  // `place` and `map` let the chain run several augmentations in one pass; both must give the same
  // result as `apply`. `place` returns whether this augmentation only moves the image and could
  // add its move to `placement`. The answer depends on placement.moved at most, never on random
  // numbers.
  virtual bool place(Placement& placement, const Shape& image, Random random) const {
    (void)placement, (void)image, (void)random;
    return false;
  }
  // Returns whether this augmentation maps each value by itself; if so, maps the 256 values of a
  // table.
  virtual bool map(float* table, int64_t channel) const {
    (void)table, (void)channel;
    return false;
  }

  // Whether it distorts the image, so that boxes cannot follow (AugmentChain::follow).
  virtual bool distorts() const { return false; }

  // Returns this if it works on bytes (data/augment/byte_augment.h), else null.
  virtual const ByteAugment* on_bytes() const { return nullptr; }
};

// One entry of the folder data/augment.
struct AugmentDef {
  std::string_view name;  // as in --augment, or --normalise
  std::string_view help;
  // A normaliser is chosen by --normalise, runs last and is used in evaluation too; all others are
  // for training only.
  bool normaliser = false;
  bool after_normaliser = false;       // runs after the normaliser, at any position in the list
  std::string_view policy = {};        // as in --auto-augment; empty: no policy
  DescribeOptions describe = nullptr;  // its options; a normaliser's also apply to evaluation
  // Whether its options enable it although --augment does not list it.
  bool (*asked)(const OptionTexts& own) = nullptr;
  // The options of a normaliser that evaluation needs to know.
  ToldOptions (*told)(const AugmentOptions&) = nullptr;
  std::unique_ptr<Augment> (*make)(const AugmentOptions&, const Shape& image) = nullptr;
};

const std::vector<AugmentDef>& augment_catalog();

}  // namespace convoy
