// Scalars of YAML as they stand on a line: plain, in single and in double quotes.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

// What stood at the beginning of a text.
struct YamlScalar {
  std::string text;
  size_t length = 0;    // how much of the text it took
  std::string problem;  // why it is none; then the rest means nothing
  bool is_null = false;
};

// Reads the scalar that `text`, the rest of a line, begins with. Inside brackets (`in_list`) commas
// and brackets end a plain one.
YamlScalar read_yaml_scalar(std::string_view text, bool in_list);

// Whether `text` from `at` on is the end of the line or a comment, which needs a space before it.
bool yaml_line_ends(std::string_view text, size_t at);

inline bool is_yaml_blank(char c) { return c == ' ' || c == '\t'; }
// How many of them `text` begins with.
size_t yaml_blanks(std::string_view text);

}  // namespace convoy
