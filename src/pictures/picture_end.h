// Finds the end of a picture from its own structure. A decoder has all pixels before it reads the
// last bytes, so decoding does not show whether they are missing.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace convoy {

// The number of bytes up to and including JPEG's EOI marker or PNG's IEND chunk; nothing if it is
// missing. The bytes must begin like a JPEG or PNG file.
std::optional<size_t> picture_end(std::string_view bytes);

}  // namespace convoy
