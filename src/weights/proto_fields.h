// Protocol buffer messages as a list of numbered fields: enough to read the small messages of a
// TensorFlow checkpoint's index.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace convoy {

struct ProtoField {
  int number = 0;
  uint64_t value = 0;      // of varints and fixed numbers
  std::string_view bytes;  // of strings and nested messages
  bool is_bytes = false;
};

// Calls `take` for each field in order. What is no message is Fault::checkpoint naming origin and
// `what`.
void for_each_field(std::string_view message, const std::string& origin, std::string_view what,
                    const std::function<void(const ProtoField&)>& take);

}  // namespace convoy
