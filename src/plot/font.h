// Our own bitmap font, so that plots look the same on machines without fonts: ASCII letters of 5
// columns and 7 rows, with two more rows for descenders. The glyphs are drawn as text in font.cpp.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

inline constexpr int glyph_width = 5, glyph_height = 9, glyph_above_line = 7;

// Whether the letter has ink at this column and row; false outside the glyph. A character that is
// not printable ASCII looks like a question mark.
bool has_ink(char letter, int x, int y);

// The text as it will be drawn: a question mark for each letter that is not printable ASCII.
std::string printable(std::string_view text);

}  // namespace convoy
