// What a dataset holds, in pieces that two machines can compare without sending all of it: names
// and sizes of all samples, and the contents of some. Of a set that is held in memory, of all.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

class Manifest {
 public:
  // Borrows.
  explicit Manifest(const Dataset& data);

  size_t pieces() const;
  // Equal pieces have equal hashes.
  uint64_t hash(size_t piece) const { return hash_bytes(text(piece)); }
  // A line for each sample.
  std::string text(size_t piece) const;

  // The first difference of a piece in two copies: "cat/7.jpg has 812 bytes, rank 0's has 790".
  // `whose` is who has the first of the two, "rank 0".
  static std::string difference(const std::string& first, const std::string& other,
                                const std::string& whose);

 private:
  const Dataset& data_;
  int64_t stride_;  // of the samples whose contents count
};

}  // namespace convoy
