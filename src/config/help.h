// The text of --help, made from the declared options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// One entry per option, `--key TYPE  help (default; limits; also --alias)`, grouped by section and
// wrapped to `width` columns.
std::string options_help(const std::vector<Field>& fields, int width);

// A two-column list, wrapped; for verbs and the like.
struct HelpRow {
  std::string left, right;
};
std::string help_rows(const std::vector<HelpRow>& rows, int width);

// Breaks at spaces; lines after the first begin with `indent` spaces.
std::string wrapped(std::string_view text, int indent, int width);

// Columns of the terminal, between 40 and 100; 80 without one.
int help_width();

}  // namespace convoy
