// The default hash of a sample's content. Not in dataset.cpp, which needs the catalogue: readers
// that wrap a dataset link without it.
#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

uint64_t Dataset::content_hash(int64_t index) const {
  std::string content(stored_bytes(image()), '\0');
  Sample sample;
  sample.begin(content.data(), image_type());
  read(index, 0, sample);
  for (const auto& [name, type] : tensors()) {
    const std::vector<std::byte>& bytes = sample.find(name)->bytes;
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return hash_bytes(content);
}

}  // namespace convoy
