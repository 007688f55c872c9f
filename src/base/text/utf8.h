// UTF-8, one character at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: the text does not begin with a character of UTF-8
};

// The character that the text begins with. What is longer than needed, half of a surrogate pair or
// beyond Unicode is none.
CodePoint first_code_point(std::string_view text);

}  // namespace convoy
