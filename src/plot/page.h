// Puts pictures beside and below each other on one page.
#pragma once

#include <vector>

#include "pictures/picture.h"

namespace convoy {

// Row by row, `columns` in each, `gap` pixels apart on white. The pictures may differ in size; each
// has its upper left corner in that of its cell, and all cells have the size of the largest.
Pixels page_of(const std::vector<Pixels>& pictures, int64_t columns, int64_t gap = 4);

}  // namespace convoy
