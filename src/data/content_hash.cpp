// A hash of what is stored of a sample, for sets that have no better one of their own. Apart from
// dataset.cpp, which knows the catalogue: readers that wrap a dataset link without it.
#include "base/file.h"
#include "data/dataset.h"

namespace convoy {

uint64_t Dataset::content_hash(int64_t index) const {
  std::string content(static_cast<size_t>(image_shape().count()), '\0');
  int32_t label = 0;
  read(index, 0, reinterpret_cast<uint8_t*>(content.data()), label);
  return hash_bytes(content + std::to_string(label));
}

}  // namespace convoy
