// The record files of ImageNet's splits, under all the names that recipes give them.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy {

// Shards 0 to n - 1 of the split in `dir`, all of them: one that is missing, or two sets of shards
// where only one can be meant, is Fault::data. Empty when there is none. Looked for are
//   train-00000-of-01024, validation-… or val-…, img_train-… and img_val-…,
//   imagenet_train_subset-… and imagenet_val_subset-…, also with .tfrecord behind,
// of any number, in `dir` and its folders train, validation, val, img_train, img_val,
// imagenet_train_subset, imagenet_val_subset, each also below tf_records or imagenet-data.
std::vector<fs::path> record_shards(const fs::path& dir, bool train);

// "train-00003-of-01024"
std::string shard_name(std::string_view prefix, int shard, int shards);

}  // namespace convoy
