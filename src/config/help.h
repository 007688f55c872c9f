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

// The same of a part: the sections that `topic` names (`data`, `lars`, `optimizer` for the sections
// of all optimisers), else the options whose name holds it where one is called so, else the
// sections with it in their title, else such options. Empty when there is none.
std::string topic_help(const std::vector<Field>& fields, std::string_view topic, int width);

// What can be asked for with --help, a word each: for people, and with the choices of options
// (`lars`) for completion.
std::vector<std::string> help_topics(const std::vector<Field>& fields, bool choices);

// These options alone, in this order: of each the first clause of its help, and its default where
// there is room in the line.
std::string brief_help(const std::vector<Field>& fields, const std::vector<std::string>& keys,
                       int width);

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
