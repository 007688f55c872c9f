// What --help of a verb prints: all of it where that fits a screen, else a first screen with the
// options that people use most and the names of the sections.
#pragma once

#include <string>
#include <string_view>

#include "app/command.h"

namespace convoy {

// At 80 columns the first screen has no more lines than this.
constexpr int screen_lines = 40;

// `topic` is what was asked for: nothing, `all`, or a section or option by name. One that the verb
// does not have is a usage error that lists the sections.
std::string verb_help(const CommandDef& command, std::string_view topic);

}  // namespace convoy
