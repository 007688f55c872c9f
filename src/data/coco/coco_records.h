// COCO as TFRecords, in the form of TensorFlow's scripts: `image/encoded`, `image/source_id`,
// `image/height`, `image/width`, and lists with one value for each object, `image/object/bbox/ymin`
// …, `image/object/class/label` (the category's id), `image/object/area`, `image/object/is_crowd`.
// Also MLPerf's: `image/object/bbox` with four values for each object (left, top, right, bottom),
// `image/object/label` (from 0), `image/id`, `image/shape`.
//
// Categories are those of the annotation files beside the records (data/coco/coco_split.h), else
// COCO's 80. With a validation set, the true objects are those of its annotation file if there is
// one: records lack the unusable ones, and their coordinates are rounded.
#pragma once

#include <memory>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Whether the folder has record files of the split (data/sources/record_shards.h) whose pictures
// have objects.
bool has_coco_records(const fs::path& dir, bool train);

// No shard, a missing one or a damaged length is Fault::data. Boxes without an area are left out,
// as boxes of training; boxes that are no numbers or go beyond the picture, lists of several
// lengths, and unknown categories are Fault::data when the record is read.
std::unique_ptr<PictureSource> open_coco_records(const fs::path& dir, bool train, int threads = 0);

}  // namespace convoy
