// A dataset whose files are not here, known by what was published of it: enough to plan a run.
#pragma once

#include "data/dataset.h"

namespace convoy {

// `image`: of sets of pictures, which have any size. Its samples cannot be read.
std::unique_ptr<Dataset> published_set(const DatasetDef& def, bool train, const Shape& image);

}  // namespace convoy
