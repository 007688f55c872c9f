// The result of reading a weights file of any format: named tensors, and owners that keep their
// bytes alive. Readers add tensors through this class, so that names, limits and conversions are
// the same for all formats.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/element.h"
#include "weights/safetensors.h"

namespace convoy {

using SharedBytes = std::shared_ptr<const std::string>;
using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The name on one line, escaped, for messages.
std::string shown(std::string_view name);

// Describes a strided tensor: element [i, j, …] is at storage[offset + i * stride[0] + j *
// stride[1] + …].
struct View {
  Element element = Element::f32;
  Shape shape;
  std::array<int64_t, Shape::max_rank> strides{};
  int64_t offset = 0;

  static View row_major(Element element, const Shape& shape);
  static View column_major(Element element, const Shape& shape);
};

class WeightData {
 public:
  // `covered`: the total size of the files being read. It limits the bytes copied for views and
  // conversions, the names, and the number of tensors, whatever the files claim.
  WeightData(std::string origin, size_t covered);

  // Checks all bounds; Fault::checkpoint if one is violated. Element types that we do not use are
  // only recorded in `foreign`. Returns true if the tensor borrows `storage`: the caller must then
  // `keep` its owner. False: it was copied or left out.
  bool add(std::string name, const View& view, Bytes storage);
  void add_foreign(std::string name, std::string type);
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }
  // Sorts by name and refuses duplicate names. Call it last.
  void finish();

  std::string origin;
  std::string note;  // how the reader chose among several candidates; empty: no choice
  Metadata metadata;
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> foreign;

 private:
  void account_for(const std::string& name);
  std::span<std::byte> allocate(const std::string& name, size_t bytes);

  size_t covered_, allocated_ = 0, named_ = 0, name_bytes_ = 0;
  std::vector<std::shared_ptr<const void>> owners_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
};

// The number of elements, at most 2^48; Fault::checkpoint for a larger or invalid shape.
int64_t checked_count(const Shape& shape, std::string_view name, const std::string& origin);

}  // namespace convoy
