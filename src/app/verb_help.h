// Formats --help of a verb: all of it if it fits on a screen, else a first screen with the most
// used options and the names of the sections.
#pragma once

#include <string>
#include <string_view>

#include "app/command.h"

namespace convoy {

// The first screen has at most this many lines at 80 columns.
constexpr int screen_lines = 40;

// `topic`: empty, `all`, or the name of a section or option. An unknown one is a usage error that
// lists the sections.
std::string verb_help(const CommandDef& command, std::string_view topic);

}  // namespace convoy
