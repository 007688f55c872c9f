// Conversion between layouts.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// The same values in another layout (rank 4). Inserted by the layout pass, not by models.
Value reorder(Builder& b, Value x, Layout layout);

extern const OpDef reorder_def;

}  // namespace convoy::ops
