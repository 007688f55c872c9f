// ImageNet's pictures as record files: a shard has ceil(n / shards) pictures, in the order of the
// names or in a keyed permutation of it. Borrows splits and pictures.
#pragma once

#include <vector>

#include "app/prepare/raw_splits.h"
#include "app/prepare/write_shards.h"

namespace convoy {

class ImagenetShards final : public ShardRecords {
 public:
  // `pictures`: of one of the splits. `seed`: of the permutation, if they are shuffled.
  ImagenetShards(const RawSplits& splits, const std::vector<RawPicture>& pictures, int shards,
                 bool shuffle, uint64_t seed);

  int64_t size(int shard) const override { return begin(shard + 1) - begin(shard); }
  uint64_t bytes(int shard) const override;
  Made make(int shard, int64_t i) const override;
  bool is_record(int shard, int64_t i, std::string_view payload,
                 const std::string& origin) const override;

 private:
  int64_t label(const RawPicture& picture) const { return splits_.label(picture.class_name) + 1; }
  const RawPicture& picture(int shard, int64_t i) const {
    return pictures_[order_[static_cast<size_t>(begin(shard) + i)]];
  }
  // The index in `order_` of the first picture of a shard.
  int64_t begin(int shard) const;

  const RawSplits& splits_;
  const std::vector<RawPicture>& pictures_;
  int shards_;
  std::vector<size_t> order_;
};

}  // namespace convoy
