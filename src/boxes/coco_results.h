// Reads detections in COCO's format for results, to be scored against annotations:
//
//   [{"image_id": 42, "category_id": 18, "bbox": [x, y, width, height], "score": 0.236}, ...]
#pragma once

#include "base/files/file.h"
#include "boxes/coco_annotations.h"
#include "boxes/coco_score.h"

namespace convoy {

// A scorer with all images of the annotations and the detections of the file. Its categories are
// the places in `annotations.categories`.
//
// A file that is no such list, or an entry with an unknown image or category, a negative size or a
// score that is no number, is Fault::data; the message names the file and the entry, from 0.
CocoScorer scorer_of(const CocoAnnotations& annotations, const fs::path& results);

}  // namespace convoy
