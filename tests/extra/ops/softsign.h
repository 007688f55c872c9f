// An op of its own: x / (1 + |x|).
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

Value softsign(Builder& b, Value x);

}  // namespace convoy::ops
