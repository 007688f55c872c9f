// What happens to an image between the dataset and the batch. An augmentation is a pure function of
// the image and its own random numbers, allocates nothing, and says beforehand what it needs.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "config/option_texts.h"
#include "tensor/shape.h"

namespace convoy {

// What augmentations are made from: their options, each declared in the file that uses it
// (`AugmentDef::describe`) and read there, and what is known of the data.
struct AugmentOptions {
  OptionTexts own = {};
  std::vector<double> mean{0}, std{1};  // the dataset's, in 0..1, per channel or one for all
  bool bgr = false;                     // the order of the channels
};

// A picture moved by whole pixels: out(y, x) = in(y + dy, (mirrored ? w - 1 - x : x) + dx), and 0
// where that lies outside.
struct Placement {
  int64_t dy = 0, dx = 0;
  bool mirrored = false;
  bool moved =
      false;  // whether dy, dx are taken: a second move would bring back what the first cut off
};

class ByteAugment;

// `image` is always [c, h, w].
class Augment {
 public:
  virtual ~Augment() = default;

  // Bytes of scratch that `apply` uses.
  virtual size_t needs(const Shape& image) const {
    (void)image;
    return 0;
  }

  // Changes the image in place. Pixel values are 0..255 until something normalises them.
  virtual void apply(float* pixels, const Shape& image, std::byte* scratch,
                     Random random) const = 0;

  // What lets the chain run several augmentations in one pass; both must say the same as `apply`.
  // Whether this only moves the picture, and can add its move to that of the ones before. The
  // answer depends on placement.moved at most, never on chance.
  virtual bool place(Placement& placement, const Shape& image, Random random) const {
    (void)placement, (void)image, (void)random;
    return false;
  }
  // Whether this maps each value by itself; if so, maps the 256 values of a table.
  virtual bool map(float* table, int64_t channel) const {
    (void)table, (void)channel;
    return false;
  }

  // Whether it bends the picture, so that boxes in it cannot follow (AugmentChain::follow).
  virtual bool distorts() const { return false; }

  // This, if it works on bytes (data/augment/byte_augment.h).
  virtual const ByteAugment* on_bytes() const { return nullptr; }
};

// One entry of the folder data/augment.
struct AugmentDef {
  std::string_view name;  // as in --augment, or --normalise
  std::string_view help;
  // A normaliser is chosen by --normalise, comes last and is used in evaluation too; the others are
  // for training.
  bool normaliser = false;
  bool after_normaliser = false;       // runs there, wherever it stands in the list
  std::string_view policy = {};        // as in --auto-augment; empty: no policy
  DescribeOptions describe = nullptr;  // its options; those of a normaliser hold in evaluation too
  // Whether they ask for it where --augment does not list it.
  bool (*asked)(const OptionTexts& own) = nullptr;
  // What of a normaliser's options an evaluation needs to know.
  ToldOptions (*told)(const AugmentOptions&) = nullptr;
  std::unique_ptr<Augment> (*make)(const AugmentOptions&, const Shape& image) = nullptr;
};

const std::vector<AugmentDef>& augment_catalog();

}  // namespace convoy
