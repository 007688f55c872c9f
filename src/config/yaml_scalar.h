// Reads YAML scalars on one line: plain, in single quotes and in double quotes.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

// The scalar at the beginning of a text.
struct YamlScalar {
  std::string text;
  size_t length = 0;    // number of bytes of the text it used
  std::string problem;  // why the text is not a scalar; the other members then have no meaning
  bool is_null = false;
};

// Reads the scalar at the beginning of `text`, the rest of a line. Inside brackets (`in_list`) a
// plain scalar ends at a comma or bracket.
YamlScalar read_yaml_scalar(std::string_view text, bool in_list);

// Whether only blanks follow from `at` on, or a comment, which needs a space before it.
bool yaml_line_ends(std::string_view text, size_t at);

inline bool is_yaml_blank(char c) { return c == ' ' || c == '\t'; }
// The number of blanks at the beginning of `text`.
size_t yaml_blanks(std::string_view text);

}  // namespace convoy
