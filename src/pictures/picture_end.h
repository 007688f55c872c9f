// Where a picture ends by its own account. A decoder has all pixels before it gets there, so that
// one cannot tell by decoding whether the last bytes of a file are missing.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace convoy {

// The number of bytes up to and with JPEG's EOI marker or PNG's IEND chunk; nothing where it is not
// there. The bytes begin as a JPEG or PNG file does.
std::optional<size_t> picture_end(std::string_view bytes);

}  // namespace convoy
