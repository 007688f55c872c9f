// Makes the vocabulary of ops for the passes in compile/.
#pragma once

#include "graph/vocabulary.h"

namespace convoy::ops {

// See graph/vocabulary.h.
Vocabulary vocabulary();

}  // namespace convoy::ops
