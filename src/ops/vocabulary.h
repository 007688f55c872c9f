#pragma once

#include "graph/vocabulary.h"

namespace convoy::ops {

// What compile/ needs of ops/: see graph/vocabulary.h.
Vocabulary vocabulary();

}  // namespace convoy::ops
