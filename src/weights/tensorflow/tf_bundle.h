// Reads TensorFlow checkpoints ("tensor bundles"): PREFIX.index is a sorted table of the tensors,
// PREFIX.data-00000-of-00001 … contain their bytes. The CRC-32C of every tensor is checked, also of
// those we cannot use (strings, counters). If the checkpoint contains full names of its tensors
// (tf_object_graph.h), those are given.
#pragma once

#include <functional>
#include <string>

#include "weights/weight_data.h"

namespace convoy {

// `shard(i, n)` returns the bytes of data file `i` of `n`.
WeightData read_tf_bundle(std::string_view index, const std::string& origin,
                          const std::function<SharedBytes(int i, int n)>& shard);

// Reads from PREFIX or PREFIX.index; the data files are beside it.
WeightData read_tf_checkpoint(const fs::path& path);

// The prefix named by the file `checkpoint` in a folder; Fault::checkpoint if it names none.
fs::path tf_newest_prefix(const fs::path& folder);

}  // namespace convoy
