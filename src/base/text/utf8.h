// Decodes UTF-8, one character at a time.
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: the text does not begin with a valid UTF-8 character
};

// The first character of the text. Overlong forms, surrogates and values beyond Unicode are
// invalid.
CodePoint first_code_point(std::string_view text);

}  // namespace convoy
