// The augmentations of a run in order, from the dataset's bytes to the network's floats. Moves and
// value maps (pad-crop, flip, normalise: the usual recipe) run as one pass over the picture,
// because the loader gets only a small part of the CPU time. Augmentations on bytes (the policies)
// run between them and take one more pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/augment/augment.h"
#include "data/sample.h"

namespace convoy {

class AugmentChain {
 public:
  // `names`: entries of the catalogue, in order; an unknown name is a usage error naming the
  // nearest.
  AugmentChain(const std::vector<std::string>& names, const AugmentOptions& options,
               const Shape& image);

  const Shape& image() const { return image_; }

  // The scratch that `run` needs, aligned to 64 bytes.
  size_t scratch_bytes() const { return scratch_bytes_; }

  // `key` belongs to the sample: random_key(seed, Purpose::augment, epoch, sample). Each
  // augmentation has its own random numbers, by its place in the chain. Several threads may call it
  // at once.
  void run(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

  // Whether the chain has only moves, augmentations on bytes and maps: then images can travel as
  // bytes, and `tables` converts them to floats later, with exactly the results of `run`.
  bool keeps_bytes() const { return needs_floats_.empty(); }
  // The name of the first augmentation that prevents this; empty: none.
  const std::string& needs_floats() const { return needs_floats_; }
  // [c][256]: pixel value -> network's value, for the augmentations that are maps.
  const std::vector<float>& tables() const { return tables_; }
  // `run` without the maps; pixels from outside the picture are 0. Only for a chain that keeps
  // bytes.
  void run_bytes(const uint8_t* pixels, uint8_t* out, uint64_t key, std::byte* scratch) const;

  // Applies to `geometry` what `run` with this key does to positions. Only if nothing distorts.
  void follow(uint64_t key, Geometry& geometry) const;
  // The name of the first augmentation that distorts; empty: none.
  const std::string& distorts() const { return distorts_; }

  // `run` with `apply` alone, one augmentation after the other: the reference for tests of `run`.
  void run_plainly(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

 private:
  // The augmentations [first, moved) move the picture, [moved, end) work on its bytes.
  struct Stage {
    size_t first, moved, end;
  };

  void add_front();
  Placement placement(const Stage& stage, uint64_t key) const;
  size_t picture_bytes() const;
  size_t stage_pictures() const;
  const uint8_t* run_stages(const uint8_t* pixels, uint64_t key, std::byte* scratch) const;

  Shape image_;
  std::vector<std::unique_ptr<Augment>> steps_;
  std::vector<Stage> stages_;  // each with at least one augmentation on bytes
  Stage last_{};               // the moves after them
  size_t mapped_ = 0;          // end of the augmentations that are in the tables
  std::vector<float> tables_;
  std::string needs_floats_, distorts_;
  size_t scratch_bytes_ = 0;
};

}  // namespace convoy
