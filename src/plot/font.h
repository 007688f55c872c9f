// A bitmap font of our own, so that a plot looks the same on machines without fonts: ASCII, letters
// of 5 columns and 7 rows and two rows below the line. Its picture is in the source.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

inline constexpr int glyph_width = 5, glyph_height = 9, glyph_above_line = 7;

// Whether the letter has ink at that column and row; nothing outside of it has. What is not
// printable ASCII looks like a question mark.
bool has_ink(char letter, int x, int y);

// As it will be seen: a question mark for every letter that is not printable ASCII.
std::string printable(std::string_view text);

}  // namespace convoy
