// What was typed after the verb, taken apart: options as settings, and the words between them.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"

namespace convoy {

struct CommandLine {
  Settings settings;  // under the declared key, whichever alias was typed; origin "command line"
  std::vector<std::string> words;
  // As it was typed ("--lr 0.1"), but given again later with another value: for one line of
  // warning.
  std::vector<std::string> overruled;
};

// `declared` tells which options exist and which need no value. Accepted: `--x v`, `--x=v`, `-` and
// `_` alike, `--x`, `--x yes` and `--no-x` for booleans, `-j 4` and `-j4` for an alias of one
// letter, `-np 4` for an alias of several, `--set key=value` for any key, `--` before words that
// begin with a dash. Of an option that is given several times the last value counts, as wrapper
// scripts expect. An unknown option, a missing value, and `--x` beside `--no-x` are usage errors.
// With `words_end_options` the first word and all after it are words: another verb and its options.
CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<Field>& declared, bool words_end_options = false);

// Whether `--help` or `-h` is asked for: it counts anywhere before `--`.
bool asks_for_help(const std::vector<std::string>& arguments);

}  // namespace convoy
