// What boxes go through before they are written in another format.
#pragma once

#include "data/boxed/boxed_split.h"

namespace convoy {

struct TidyCounts {
  int64_t empty = 0, repeated = 0;  // left out
  int64_t cut = 0;                  // to their picture
  int64_t crowds = 0;
};

// Cuts boxes that go beyond their picture; leaves out those that have no size then, and those that
// repeat another one of the picture exactly.
TidyCounts tidy(BoxedSplit& split);

// Leaves out the pictures for which `is_bad`.
void leave_out(BoxedSplit& split, const std::vector<bool>& is_bad);

// The classes of several splits as one list, joined by their names: in the order of the first
// split, then of the next. Ids stay if they tell the same in all splits, else they count from 1.
// The objects get the numbers and ids of the list.
std::vector<CocoCategory> join_classes(const std::vector<BoxedSplit*>& splits);

}  // namespace convoy
