// What a reader of one format makes of a file: named tensors and what keeps their bytes alive.
// Readers add tensors through here, so that names, limits and conversions are the same for all.
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

// One line, whatever a file calls its things.
std::string shown(std::string_view name);

// An element [i, j, …] of a tensor lies at storage[offset + i * stride[0] + j * stride[1] + …].
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
  // `covered`: how many bytes of files stand behind what is read. What must be copied (views,
  // conversions), names, and the number of tensors are limited by it, whatever the files claim.
  WeightData(std::string origin, size_t covered);

  // Checks every bound; Fault::checkpoint otherwise. A kind of numbers that we do not use becomes a
  // name in `foreign`. True: the tensor borrows `storage`, whose owner is to be kept (`keep`);
  // false: it was copied or left out.
  bool add(std::string name, const View& view, Bytes storage);
  void add_foreign(std::string name, std::string type);
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }
  // Names sorted, none twice. To be called last.
  void finish();

  std::string origin;
  std::string note;  // what the reader chose where it had to; empty: nothing
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

// Elements, at most 2^48; Fault::checkpoint where the shape has more or is none.
int64_t checked_count(const Shape& shape, std::string_view name, const std::string& origin);

}  // namespace convoy
