// The augmentations of a run in their order, from the dataset's bytes to the network's floats.
// Moves and value maps at the front (pad-crop, flip, normalise: the usual recipe) run as one pass
// over the picture, because the loader has to live on the few cycles that training leaves it. What
// works on bytes (the policies) comes between them, and costs a pass more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/augment/augment.h"
#include "data/sample.h"

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

  // Whether moves, steps on bytes and maps are all there is: then images can travel as bytes, and
  // `tables` brings them to floats wherever that suits, with the bits of `run`.
  bool keeps_bytes() const { return needs_floats_.empty(); }
  // The first step that is in the way, by name; empty: none.
  const std::string& needs_floats() const { return needs_floats_; }
  // [c][256]: pixel value -> network's value, as far as steps are maps.
  const std::vector<float>& tables() const { return tables_; }
  // `run` without the maps: outside is 0. Only of a chain that keeps bytes.
  void run_bytes(const uint8_t* pixels, uint8_t* out, uint64_t key, std::byte* scratch) const;

  // What `run` with that key does to where points are. Only where nothing distorts.
  void follow(uint64_t key, Geometry& geometry) const;
  // The first step that distorts, by name; empty: none does.
  const std::string& distorts() const { return distorts_; }

  // The same as `run` by `apply` alone, one augmentation after the other: what `run` is tested
  // against.
  void run_plainly(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

 private:
  // Steps [first, moved) move the picture, steps [moved, end) work on its bytes.
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
  std::vector<Stage> stages_;  // each with a step on bytes
  Stage last_{};               // the moves after them, no step on bytes
  size_t mapped_ = 0;          // steps after those that are in the tables: up to here
  std::vector<float> tables_;
  std::string needs_floats_, distorts_;
  size_t scratch_bytes_ = 0;
};

}  // namespace convoy
