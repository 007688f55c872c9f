// The augmentations of a run in order, from the dataset's bytes to the network's floats. The usual
// ones are moves (pad-crop, flip) followed by maps of single values (normalise): all of them run as
// one pass over the image, because the loader gets only a small part of the CPU time. Augmentations
// on bytes (the policies) each take a pass, and the moves before them one more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/augment/augment.h"
#include "data/sample.h"

namespace convoy {

class AugmentChain {
 public:
  // `names`: entries of `augment_catalog`, in order. An unknown name is a usage error that names
  // the nearest one.
  AugmentChain(const std::vector<std::string>& names, const AugmentOptions& options,
               const Shape& image);

  const Shape& image() const { return image_; }

  // The scratch that `run` needs, aligned to 64 bytes.
  size_t scratch_bytes() const { return scratch_bytes_; }

  // Applies the chain to the image `pixels`. `key` is the sample's: random_key(seed,
  // Purpose::augment, epoch, sample). Each augmentation has its own random numbers, by its place in
  // the chain. Several threads may call it at once.
  void run(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

  // The same for an image of floats, which no augmentation on bytes may take (`needs_bytes`).
  void run(const float* values, float* out, uint64_t key, std::byte* scratch) const;
  // The name of the first augmentation on bytes; empty: none.
  const std::string& needs_bytes() const { return needs_bytes_; }
  // One of the two, by the type of the sample's image.
  void run(const Sample& sample, float* out, uint64_t key, std::byte* scratch) const;

  // Whether the chain has only moves, augmentations on bytes and maps. Then batches can have images
  // as bytes, and the network converts them to floats by `tables`, with exactly the results of
  // `run`.
  bool keeps_bytes() const { return needs_floats_.empty(); }
  // The name of the first augmentation that prevents this; empty: none.
  const std::string& needs_floats() const { return needs_floats_; }
  // [c][256]: from the value of a pixel to that for the network, by all augmentations that are
  // maps.
  const std::vector<float>& tables() const { return tables_; }
  // `run` without the maps; pixels from outside the image are 0. Only if `keeps_bytes()`.
  void run_bytes(const uint8_t* pixels, uint8_t* out, uint64_t key, std::byte* scratch) const;

  // Applies to `geometry` what `run` with this key does to positions. Only if `distorts()` is
  // empty.
  void follow(uint64_t key, Geometry& geometry) const;
  // The name of the first augmentation that distorts; empty: none.
  const std::string& distorts() const { return distorts_; }

  // The same as `run`, by `Augment::apply` alone, one augmentation after another: for tests of
  // `run`.
  void run_plainly(const uint8_t* pixels, float* out, uint64_t key, std::byte* scratch) const;

 private:
  // The augmentations [first, moved) move the image, [moved, end) work on its bytes.
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
  Stage last_{};               // the moves after the stages
  size_t mapped_ = 0;          // end of the augmentations that are in the tables
  std::vector<float> tables_;
  std::string needs_floats_, needs_bytes_, distorts_;
  size_t scratch_bytes_ = 0;
};

}  // namespace convoy
