// ImageNet as TFRecords: the pictures of a split, record after record, shard after shard. Labels in
// the records start at 1, ours at 0.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Whether the folder has record files of the split, perhaps not all (data/sources/record_shards.h).
bool has_records(const fs::path& dir, bool train);

// Reads the lengths of all records; no shard, a missing one or a damaged length is Fault::data.
// `threads` only affects speed; 0: one per core.
std::unique_ptr<PictureSource> open_records(const fs::path& dir, bool train, int threads = 0);

}  // namespace convoy
