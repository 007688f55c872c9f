// Writes HTML. All text from outside goes through `in_html`.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

// The text with the characters of HTML's markup replaced, for content and attributes in quotes;
// control characters and those that change the direction of writing as in `one_line`. Above
// `most` bytes the rest is replaced by dots.
std::string in_html(std::string_view text, size_t most = 4096);

// The same, for a text of several lines.
std::string lines_in_html(std::string_view text);

// JSON as the content of a <script> element: it contains no "<".
std::string in_script(std::string json);

// The text cut after a whole character, with dots, if it has more than `most` bytes.
std::string shortened(std::string_view text, size_t most);

// For data: addresses.
std::string base64(std::string_view bytes);

}  // namespace convoy
