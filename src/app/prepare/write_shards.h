// Writes pictures into record files, shard by shard. A shard gets its name only when it is
// complete, so a repeated run makes the missing ones.
#pragma once

#include <string>
#include <vector>

#include "app/prepare/bad_pictures.h"
#include "app/prepare/raw_splits.h"

namespace convoy {

struct ShardsSpec {
  fs::path folder;     // of the shards
  std::string prefix;  // "train" in train-00000-of-01024
  int shards = 1;
  bool shuffle = false;
  uint64_t seed = 0;
};

struct ShardsResult {
  int64_t records = 0, left_out = 0, encoded_anew = 0;
  uint64_t bytes = 0;
  int made = 0;  // shards that did not exist yet
};

// A shard has ceil(n / shards) pictures, in the order of the names or in a keyed permutation of it.
// Then every shard is read back, also those of earlier runs, to verify its checksums and pictures.
// A shard that differs is Fault::data.
ShardsResult write_shards(const RawSplits& splits, const std::vector<RawPicture>& pictures,
                          const ShardsSpec& spec, ThreadPool& pool, BadPictures& bad);

}  // namespace convoy
