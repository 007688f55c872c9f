// Reads the features of a picture's record without reading the picture.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace convoy {

// The tf.Example without features of more than 4 KiB, from a few short reads: `fetch(offset,
// bytes)` reads a part of the record, whose size is `bytes`. No checksum is verified. A malformed
// tf.Example is Fault::data naming the origin.
std::string small_features(uint64_t bytes, const std::string& origin,
                           const std::function<std::string(uint64_t, size_t)>& fetch);

}  // namespace convoy
