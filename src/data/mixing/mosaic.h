// Mosaics (Bochkovskiy 2020): a training image of four pictures with their objects, which meet at a
// random point. Which pictures, and which part of each, are functions of the sample's key.
#pragma once

#include <cstdint>
#include <vector>

#include "boxes/box.h"
#include "data/dataset.h"

namespace convoy {

// When a sample becomes a mosaic.
struct MosaicRule {
  double share = 0;         // of the samples
  int64_t until_epoch = 0;  // only in epochs before it

  bool on() const { return share > 0 && until_epoch > 0; }
  // `key` is the sample's in its epoch.
  bool picks(int64_t epoch, uint64_t key) const;
};

// The memory of one thread that makes mosaics from samples of a dataset, all of them with objects.
class MosaicMaker {
 public:
  explicit MosaicMaker(const Dataset& dataset);

  // Writes a mosaic of sample `index` and three others into `sample`, on which the caller has
  // called `begin`. Its objects are as fractions of the mosaic. Each picture is seen through its
  // view, at half to full size; an object stays, clipped, if its centre is in its quarter.
  void read(int64_t index, uint64_t key, Sample& sample);

 private:
  struct Quarter {
    int64_t x, y, width, height;  // in the mosaic
  };
  // Takes a random part of the picture in `part_` into the quarter.
  template <class T>
  void place(const Quarter& quarter, uint64_t key, T* image);

  const Dataset& dataset_;
  std::vector<std::byte> memory_;
  Sample part_;
  std::vector<Box> boxes_;
  std::vector<int32_t> classes_;
};

}  // namespace convoy
