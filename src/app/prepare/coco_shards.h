// COCO's pictures as record files, as the script of TensorFlow's object detection writes them: in
// the order of the annotation file, picture n in shard n modulo their number. Training leaves out
// pictures without a usable box. Borrows the split.
#pragma once

#include <vector>

#include "app/prepare/write_shards.h"
#include "data/coco/coco_split.h"

namespace convoy {

class CocoShards final : public ShardRecords {
 public:
  // `pictures`: the folder of the pictures.
  CocoShards(const CocoSplit& split, const fs::path& pictures, int shards, bool train);

  int64_t count() const { return static_cast<int64_t>(used_.size()); }
  int64_t size(int shard) const override;
  uint64_t bytes(int shard) const override;
  Made make(int shard, int64_t i) const override;
  bool is_record(int shard, int64_t i, std::string_view payload,
                 const std::string& origin) const override;

 private:
  const CocoPicture& picture(int shard, int64_t i) const {
    return *used_[static_cast<size_t>(i * shards_ + shard)];
  }
  std::string record(const CocoPicture& picture, std::string jpeg) const;

  const CocoSplit& split_;
  fs::path folder_;
  int shards_;
  std::vector<const CocoPicture*> used_;
  CocoIndex categories_;
};

// A hash of all that determines the records of a split but the pictures.
std::string fingerprint(const CocoSplit& split);

}  // namespace convoy
