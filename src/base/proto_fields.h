// Reads a protocol buffer message as a list of numbered fields. That is enough for the TensorFlow
// files we read: checkpoint indexes and dataset records.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace convoy {

enum class ProtoType { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct ProtoField {
  int number = 0;
  ProtoType type = ProtoType::varint;
  uint64_t value = 0;      // of varints and fixed numbers
  std::string_view bytes;  // of strings and nested messages
  bool is_bytes = false;
};

// Calls `take` for each field in order. A malformed message is `fault`, naming origin and `what`.
void for_each_field(std::string_view message, const std::string& origin, std::string_view what,
                    const std::function<void(const ProtoField&)>& take,
                    Fault fault = Fault::checkpoint);

}  // namespace convoy
