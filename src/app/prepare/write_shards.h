// Writes records into files, shard by shard. A shard gets its name only when it is complete, so a
// repeated run makes the missing ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/prepare/bad_pictures.h"
#include "base/files/file.h"
#include "base/threads/thread_pool.h"

namespace convoy {

// The records of all shards of a split. Several threads call it at once.
class ShardRecords {
 public:
  virtual ~ShardRecords() = default;

  virtual int64_t size(int shard) const = 0;
  // The size of its pictures; the shard is slightly larger.
  virtual uint64_t bytes(int shard) const = 0;
  struct Made {
    std::string payload;
    bool encoded_anew = false;  // the picture had no form that records may have
  };
  // Record `i` of the shard. A broken picture is Fault::data.
  virtual Made make(int shard, int64_t i) const = 0;
  // Whether the payload that was read back is this record. One that is no sound record is
  // Fault::data, naming `origin`.
  virtual bool is_record(int shard, int64_t i, std::string_view payload,
                         const std::string& origin) const = 0;
};

struct ShardsSpec {
  fs::path folder;     // of the shards
  std::string prefix;  // "train" in train-00000-of-01024
  std::string ending;  // behind it
  int shards = 1;
};

struct ShardsResult {
  int64_t records = 0, left_out = 0, encoded_anew = 0;
  uint64_t bytes = 0;
  int made = 0;  // shards that did not exist yet
};

// Makes the missing shards. Then every shard is read back, also those of earlier runs, to verify
// its checksums and records: they must be those of the shard in their order; some may be missing. A
// shard that differs is Fault::data.
ShardsResult write_shards(const ShardRecords& records, const ShardsSpec& spec, ThreadPool& pool,
                          BadPictures& bad);

}  // namespace convoy
