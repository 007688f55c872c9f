// Reads a split as an annotation file in COCO's format describes it.
#pragma once

#include "data/boxed/boxed_split.h"

namespace convoy {

// `pictures`: the folder of the pictures. Besides what read_coco_annotations refuses, a picture
// without a size or a name, or with a name that leads out of its folder, is Fault::data.
BoxedSplit read_coco_split(const fs::path& annotations, const fs::path& pictures);

}  // namespace convoy
