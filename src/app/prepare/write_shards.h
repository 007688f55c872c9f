// Pictures into record files, shard by shard. A shard is made on its own and has its name only when
// it is complete: a run that was killed makes those that are missing.
#pragma once

#include <string>
#include <vector>

#include "app/prepare/bad_pictures.h"
#include "app/prepare/raw_splits.h"

namespace convoy {

struct ShardsSpec {
  fs::path folder;     // of the shards
  std::string prefix;  // train-00000-of-01024
  int shards = 1;
  bool shuffle = false;
  uint64_t seed = 0;
};

struct ShardsResult {
  int64_t records = 0, left_out = 0, encoded_anew = 0;
  uint64_t bytes = 0;
  int made = 0;  // shards that were not there yet
};

// Chunks of ceil(n / shards) pictures each, in the order of the names or in a keyed permutation of
// it. Afterwards every shard is read again, those of earlier runs too: all checksums, and that it
// holds the pictures it should. A shard that does not is Fault::data.
ShardsResult write_shards(const RawSplits& splits, const std::vector<RawPicture>& pictures,
                          const ShardsSpec& spec, ThreadPool& pool, BadPictures& bad);

}  // namespace convoy
