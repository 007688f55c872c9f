// Formats the text of --help from the declared options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// One entry per option, `--key TYPE  help (default; limits; also --alias)`, grouped by section and
// wrapped to `width` columns.
std::string options_help(const std::vector<Field>& fields, int width);

// The help of some options. `topic` is matched in this order: names of sections (`data`, `lars`,
// `optimizer` for the sections of all optimisers), options whose name contains it if one has
// exactly this name, sections with it in their title, other options whose name contains it. Empty
// if nothing matches.
std::string topic_help(const std::vector<Field>& fields, std::string_view topic, int width);

// The words that --help accepts as topics. With `choices` they include the choices of options
// (`lars`), for completion.
std::vector<std::string> help_topics(const std::vector<Field>& fields, bool choices);

// Only these options, in this order: the first clause of the help, and the default if it fits on
// the line.
std::string brief_help(const std::vector<Field>& fields, const std::vector<std::string>& keys,
                       int width);

// A wrapped list of two columns, for verbs and similar.
struct HelpRow {
  std::string left, right;
};
std::string help_rows(const std::vector<HelpRow>& rows, int width);

// Breaks at spaces; lines after the first are indented by `indent` spaces.
std::string wrapped(std::string_view text, int indent, int width);

// The columns of the terminal, limited to 40..100; 80 without a terminal.
int help_width();

}  // namespace convoy
