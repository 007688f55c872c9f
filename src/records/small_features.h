// What a record of a picture says about it, without reading the picture.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace convoy {

// The tf.Example without features of more than 4 KiB, from a few short reads: `fetch(offset,
// bytes)` gives a part of the record, which has `bytes` bytes. No checksum protects the result.
// What is no tf.Example is Fault::data naming the origin.
std::string small_features(uint64_t bytes, const std::string& origin,
                           const std::function<std::string(uint64_t, size_t)>& fetch);

}  // namespace convoy
