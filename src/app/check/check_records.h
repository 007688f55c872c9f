// Reads pictures in record files for `convoy check`.
#pragma once

#include "app/check/check_tree.h"

namespace convoy {

// Replaces the record files of the tree's splits by the pictures in them. If the records of a split
// cannot be located (a missing shard, a damaged length): Fault::data.
void list_records(Tree& tree, int threads);

}  // namespace convoy
