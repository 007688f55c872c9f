// Parses the arguments after the verb into settings (options) and words.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"

namespace convoy {

struct CommandLine {
  Settings settings;  // key: the declared one, not the typed alias; origin "command line"
  std::vector<std::string> words;
  // Options as typed ("--lr 0.1") that a later one with another value replaced. The caller prints
  // one warning line for them.
  std::vector<std::string> overruled;
};

// `declared` tells which options exist and which need no value. Accepted: `--x v`, `--x=v`, `-` and
// `_` alike, `--x`, `--x yes` and `--no-x` for booleans, `-j 4` and `-j4` for an alias of one
// letter, `-np 4` for an alias of several, `--set key=value` for any key, `--` before words that
// begin with a dash. If an option is given several times, the last value counts, as wrapper scripts
// expect. An unknown option, a missing value, and `--x` beside `--no-x` are usage errors. With
// `words_end_options` the first word and everything after it are words: another verb and its
// options. `advise` may add text about an undeclared option (": eval has it; try: ..."); its
// argument is spelled with dashes.
using AdviseOption = std::function<std::string(const std::string& name)>;
CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<Field>& declared, bool words_end_options = false,
                               const AdviseOption& advise = {});

// The topics after `--help` or `-h`, which may stand anywhere before `--`: `--help data` or
// `--help=data` gives "data", a bare `--help` an empty list. Nothing if no help is requested.
std::optional<std::string> asked_help(const std::vector<std::string>& arguments);

}  // namespace convoy
