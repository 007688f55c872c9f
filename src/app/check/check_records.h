// Pictures in record files, for `convoy check`.
#pragma once

#include "app/check/check_tree.h"

namespace convoy {

// Puts the records of the folder's splits into the tree, in place of their files. A split whose
// records cannot be found at all (a shard is missing, a length is damaged) is Fault::data.
void list_records(Tree& tree, int threads);

}  // namespace convoy
