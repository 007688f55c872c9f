// The content of a dataset in pieces that two machines can compare without sending all of it: names
// and sizes of all samples, and content hashes of some (of all, if the set is in memory). Borrows
// the dataset.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

class Manifest {
 public:
  // `data` must outlive this.
  explicit Manifest(const Dataset& data);

  size_t pieces() const;
  // Equal pieces have equal hashes.
  uint64_t hash(size_t piece) const { return hash_bytes(text(piece)); }
  // One record per sample.
  std::string text(size_t piece) const;

  // The first difference between two copies of a piece: "cat/7.jpg has 812 bytes, rank 0's has
  // 790". `whose` names the owner of `first`: "rank 0".
  static std::string difference(const std::string& first, const std::string& other,
                                const std::string& whose);

 private:
  const Dataset& data_;
  int64_t stride_;  // every stride-th sample's content is hashed
};

}  // namespace convoy
