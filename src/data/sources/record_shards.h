// Finds the record files of ImageNet's splits, under all the names that recipes give them.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy {

// All shards 0 to n - 1 of the split in `dir`; empty if there is none. A missing shard, or two sets
// of shards, is Fault::data. It looks for
//   train-00000-of-01024, validation-… or val-…, img_train-… and img_val-…,
//   imagenet_train_subset-… and imagenet_val_subset-…, also with .tfrecord behind,
//   in `dir` and its folders train, validation, val, img_train, img_val, imagenet_train_subset,
//   imagenet_val_subset, each also below tf_records or imagenet-data.
std::vector<fs::path> record_shards(const fs::path& dir, bool train);

// "train-00003-of-01024"
std::string shard_name(std::string_view prefix, int shard, int shards);

}  // namespace convoy
