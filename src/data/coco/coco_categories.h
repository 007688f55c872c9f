// The 80 categories of COCO, whose ids are 1 to 90 with gaps: for record files, which hold ids
// without a list of them.
#pragma once

#include <vector>

#include "boxes/coco_annotations.h"

namespace convoy {

const std::vector<CocoCategory>& coco_categories();  // by id

}  // namespace convoy
