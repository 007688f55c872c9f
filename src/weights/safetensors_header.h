// The header of a safetensors file: a JSON object that names every tensor with its type, shape and
// place. It is read member by member and never held as a tree, so that time and memory stay
// proportional to its length, whatever stands in it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "weights/safetensors.h"

namespace convoy {

inline constexpr uint64_t most_safetensors_header = 100'000'000;  // as the reference implementation
inline constexpr const char* safetensors_metadata_key = "__metadata__";

// A type that files may name; `ours` is what we use it as, if we do.
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
    uint64_t begin = 0, end = 0;  // in the data
  };
  Metadata metadata;
  std::deque<Tensor> tensors;  // names sorted bytewise
};

// Reads and checks the header of a file with `data_bytes` of data behind it: names are there once,
// every byte of the data belongs to one tensor and has the size that type and shape say. Anything
// else is Fault::checkpoint.
SafetensorsHeader read_safetensors_header(std::string_view text, uint64_t data_bytes,
                                          const std::string& origin);

[[noreturn]] void bad_safetensors(const std::string& origin, std::string_view why);

}  // namespace convoy
