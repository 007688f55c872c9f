// The augmentations of a run in their order, from the dataset's bytes to the network's floats.
// Moves and value maps at the front (pad-crop, flip, normalise: the usual recipe) run as one pass
// over the picture, because the loader has to live on the few cycles that training leaves it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/augment.h"

namespace convoy {

class AugmentChain {
 public:
  // `names` as in the catalogue, in order; an unknown one is a usage error naming the nearest.
  AugmentChain(const std::vector<std::string>& names, const AugmentOptions& options,
               const Shape& image);

  const Shape& image() const { return image_; }

  // Scratch that `run` needs, aligned to 64 bytes.
  size_t scratch_bytes() const { return scratch_bytes_; }

  // `key` belongs to the sample: random_key(seed, Purpose::augment, epoch, sample). Each
  // augmentation draws from its own numbers, by its place in the chain. For several threads at
  // once.
  void run(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

  // Whether moves and maps are all there is: then images can travel as bytes, and `tables` brings
  // them to floats wherever that suits, with the bits of `run`.
  bool keeps_bytes() const { return needs_floats_.empty(); }
  // The first step that is in the way, by name; empty: none.
  const std::string& needs_floats() const { return needs_floats_; }
  // [c][256]: pixel value -> network's value, as far as steps are maps.
  const std::vector<float>& tables() const { return tables_; }
  // `run` as far as it moves the picture: values stay as they are, and outside is 0. Only of a
  // chain that keeps bytes.
  void run_bytes(const uint8_t* pixels, uint8_t* out, uint64_t key) const;

  // The same as `run` by `apply` alone, one augmentation after the other: what `run` is tested
  // against.
  void run_plainly(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

 private:
  Placement placement(uint64_t key) const;

  Shape image_;
  std::vector<std::unique_ptr<Augment>> steps_;
  size_t placed_ = 0;  // steps at the front that move the picture
  size_t mapped_ = 0;  // steps after those that are in the tables
  std::vector<float> tables_;
  std::string needs_floats_;
  size_t scratch_bytes_ = 0;
};

}  // namespace convoy
