// TensorFlow checkpoints ("tensor bundles"): PREFIX.index, a sorted table of what there is, and
// PREFIX.data-00000-of-00001 …, the bytes. Every tensor has a CRC-32C, and all are checked, those
// of tensors we cannot use (strings, counters) too. Where the checkpoint knows fuller names of its
// tensors (tf_object_graph.h), it is those that are given.
#pragma once

#include <functional>
#include <string>

#include "weights/weight_data.h"

namespace convoy {

// `shard` gives the bytes of data file `i` of `n`.
WeightData read_tf_bundle(std::string_view index, const std::string& origin,
                          const std::function<SharedBytes(int i, int n)>& shard);

// From PREFIX or PREFIX.index; the data files lie beside.
WeightData read_tf_checkpoint(const fs::path& path);

// The prefix that the file `checkpoint` of a folder names; Fault::checkpoint when it does not.
fs::path tf_newest_prefix(const fs::path& folder);

}  // namespace convoy
