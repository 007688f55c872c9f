// What was typed after the verb, taken apart: options as settings, and the words between them.
#pragma once

#include <functional>
#include <optional>
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
// `advise` may say more about an option that is not declared (": eval has it; try: ..."); its
// argument has dashes.
using AdviseOption = std::function<std::string(const std::string& name)>;
CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<Field>& declared, bool words_end_options = false,
                               const AdviseOption& advise = {});

// What `--help` or `-h` asks for, anywhere before `--`: the words after it (`--help data`,
// `--help=data`), empty for help as such. Nothing: it is not asked for.
std::optional<std::string> asked_help(const std::vector<std::string>& arguments);

}  // namespace convoy
