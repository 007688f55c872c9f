// COCO's pictures as record files, as the script of TensorFlow's object detection writes them: in
// the order of the annotation file, picture n in shard n modulo their number. Training leaves out
// pictures without a usable box. Borrows the split.
#pragma once

#include <vector>

#include "app/prepare/boxes/picture_form.h"
#include "app/prepare/write_shards.h"
#include "data/boxed/boxed_split.h"

namespace convoy {

class CocoShards final : public ShardRecords {
 public:
  // `forms`: of each picture of the split; null: they are written as they are.
  CocoShards(const BoxedSplit& split, int shards, bool train,
             const std::vector<PictureForm>* forms = nullptr);

  int64_t count() const { return static_cast<int64_t>(used_.size()); }
  int64_t size(int shard) const override;
  uint64_t bytes(int shard) const override;
  Made make(int shard, int64_t i) const override;
  bool is_record(int shard, int64_t i, std::string_view payload,
                 const std::string& origin) const override;

 private:
  const BoxedPicture& picture(int shard, int64_t i) const {
    return *used_[static_cast<size_t>(i * shards_ + shard)];
  }
  PictureForm form(const BoxedPicture& picture) const;
  std::string record(const BoxedPicture& picture, std::string jpeg) const;

  const BoxedSplit& split_;
  int shards_;
  const std::vector<PictureForm>* forms_;
  std::vector<const BoxedPicture*> used_;
  CocoIndex categories_;
};

// A hash of all that determines the records of a split but the pictures.
std::string fingerprint(const BoxedSplit& split);

}  // namespace convoy
