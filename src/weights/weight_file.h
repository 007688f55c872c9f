// Any weights file, in memory and checked. Which format it is, its content says, not its name; the
// folder weights/formats lists the formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weights/weight_data.h"

namespace convoy {

// What tells formats apart.
struct Glimpse {
  fs::path path;     // a file, a folder, or the prefix of several files
  std::string head;  // its first bytes, at most 256; empty: no regular file
  std::string tail;  // its last 8
};

// One entry of the folder weights/formats.
struct WeightFormat {
  std::string_view name;  // for people
  std::string_view help;  // where such files come from
  bool (*recognises)(const Glimpse& glimpse) = nullptr;
  WeightData (*read)(const fs::path& path) = nullptr;
};

const std::vector<WeightFormat>& weight_format_catalog();

class WeightFile {
 public:
  // Any defect, and a file of no known format, is Fault::checkpoint and one line.
  static WeightFile read(const fs::path& path);
  static WeightFile of(SafetensorsFile file);
  WeightFile(std::string_view format, WeightData data);

  const std::string& origin() const { return data_.origin; }
  std::string_view format() const { return format_; }
  // Which part of the file was taken, where there was a choice; else empty.
  const std::string& note() const { return data_.note; }
  const Metadata& metadata() const { return data_.metadata; }
  // f32, s32, s64, u8; names sorted bytewise. Data may be unaligned. Spans point into this object
  // and stay valid when it is moved.
  const std::vector<TensorEntry>& tensors() const { return data_.tensors; }
  // What Convoy has no type for: name -> type, for people.
  const std::map<std::string, std::string>& foreign() const { return data_.foreign; }
  // Null when there is none.
  const TensorEntry* find(std::string_view name) const;

 private:
  std::string_view format_;
  WeightData data_;
};

}  // namespace convoy
