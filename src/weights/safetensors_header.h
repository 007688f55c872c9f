// Parses the header of a safetensors file, a JSON object with type, shape and position of each
// tensor. It is read member by member without building a tree, so time and memory are proportional
// to its length for any content.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "weights/safetensors.h"

namespace convoy {

inline constexpr uint64_t most_safetensors_header = 100'000'000;  // the reference reader's limit
inline constexpr const char* safetensors_metadata_key = "__metadata__";

// A type name that files may contain; `ours` is the matching DType, if any.
struct SafetensorsType {
  std::string_view name;
  size_t bytes;
  std::optional<DType> ours;
};
std::string_view safetensors_name_of(DType dtype);

struct SafetensorsHeader {
  struct Tensor {
    std::string name;
    const SafetensorsType* type = nullptr;
    Shape shape;
    uint64_t begin = 0, end = 0;  // relative to the start of the data
  };
  Metadata metadata;
  std::deque<Tensor> tensors;  // sorted bytewise by name
};

// Reads and checks the header of a file with `data_bytes` bytes of data after it: names are unique,
// every byte of the data belongs to exactly one tensor, and each size agrees with type and shape.
// Otherwise Fault::checkpoint.
SafetensorsHeader read_safetensors_header(std::string_view text, uint64_t data_bytes,
                                          const std::string& origin);

[[noreturn]] void bad_safetensors(const std::string& origin, std::string_view why);

}  // namespace convoy
