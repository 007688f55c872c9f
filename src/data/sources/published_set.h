// A dataset whose files are absent: only its published sizes are known, which is enough to plan a
// run.
#pragma once

#include "data/dataset.h"

namespace convoy {

// `image`: the shape, for sets of pictures of any size. Its samples cannot be read.
std::unique_ptr<Dataset> published_set(const DatasetDef& def, bool train, const Shape& image);

}  // namespace convoy
