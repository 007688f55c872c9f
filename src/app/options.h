// From what was typed to the settings a verb reads: recipe below, flags above.
#pragma once

#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/fields.h"

namespace convoy {

// Where recipes are looked up by name, first match first: `configs` in the working folder, then the
// ones that came with the program (in the source tree, or <prefix>/share/convoy/configs).
std::vector<std::string> recipe_folders();

// Declares --config. What `config` holds before is the recipe used when none is named.
void describe_config(Fields& field, std::string& config);

// The recipe's settings, overridden by the command line's, ready for `Fields`. The recipe is that
// of --config, else the default of the field `config` in `known`, which lists what the verb
// declares; an empty name means none. The args.yml of an earlier run is a recipe too. Without a
// field `config`, these are the command line's settings alone.
Settings resolve(const CommandLine& line, const std::vector<Field>& known,
                 const std::vector<std::string>& folders = recipe_folders());

// A usage error when words were typed that the verb does not take, or fewer than it needs:
// `need_words(line, {"RUN_DIR"})`. Of a word too many it says which of the verb's options (`known`)
// it looks like: a run directory is for --checkpoint, a .yml file for --config.
void need_words(const CommandLine& line, const std::vector<std::string>& names,
                const std::vector<Field>& known = {});

// One line on the standard error, by the first process, when options were given several times.
void warn_of_overruled(const CommandLine& line);

}  // namespace convoy
