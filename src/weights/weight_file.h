// Any weights file, in memory and checked. The format is recognised by the content, not by the file
// name; the folder weights/formats has one file per format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weights/weight_data.h"

namespace convoy {

// The parts of a file by which a format is recognised.
struct Glimpse {
  fs::path path;     // a file, a folder, or the prefix of several files
  std::string head;  // its first 256 bytes or less; empty: not a regular file
  std::string tail;  // its last 8 bytes
};

// One entry of the folder weights/formats: how a format is recognised and read.
struct WeightFormat {
  std::string_view name;  // for messages
  std::string_view help;  // which programs write it
  bool (*recognises)(const Glimpse& glimpse) = nullptr;
  WeightData (*read)(const fs::path& path) = nullptr;
};

const std::vector<WeightFormat>& weight_format_catalog();

class WeightFile {
 public:
  // Any defect, and a file of unknown format, is Fault::checkpoint with one line.
  static WeightFile read(const fs::path& path);
  static WeightFile of(SafetensorsFile file);
  WeightFile(std::string_view format, WeightData data);

  const std::string& origin() const { return data_.origin; }
  std::string_view format() const { return format_; }
  // Which of several sets of weights in the file was read; empty if there was only one.
  const std::string& note() const { return data_.note; }
  const Metadata& metadata() const { return data_.metadata; }
  // Tensors of type f32, s32, s64 or u8, sorted bytewise by name. Data may be unaligned. Spans
  // point into this object and stay valid when it is moved.
  const std::vector<TensorEntry>& tensors() const { return data_.tensors; }
  // Tensors of types that DType does not have: name -> type, for messages.
  const std::map<std::string, std::string>& foreign() const { return data_.foreign; }
  // Null if absent.
  const TensorEntry* find(std::string_view name) const;

 private:
  std::string_view format_;
  WeightData data_;
};

}  // namespace convoy
