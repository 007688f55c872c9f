// ImageNet as TFRecords: the pictures of a split, record after record, shard after shard. Labels of
// the records count from 1, ours from 0.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Whether the folder has record files of the split, all of them or not
// (data/sources/record_shards.h).
bool has_records(const fs::path& dir, bool train);

// All shards are walked over here; none, a missing one or a damaged length is Fault::data.
// `threads` changes nothing but the time; 0: one for each core.
std::unique_ptr<PictureSource> open_records(const fs::path& dir, bool train, int threads = 0);

}  // namespace convoy
