// Combines the recipe and the command line to the settings that a verb reads.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "config/option_texts.h"

namespace convoy {

// Folders in which recipes are looked up by name, first match first: `configs` in the working
// folder, then the recipes that came with the program (in the source tree, or
// <prefix>/share/convoy/configs).
std::vector<std::string> recipe_folders();

// Declares --config. The initial value of `config` is the default recipe.
void describe_config(Fields& field, std::string& config);

// The recipe's settings, overridden by the command line's, ready for `Fields`. The recipe is that
// of --config, else the default of the field `config` in `known` (the verb's declared options); an
// empty name means none. The args.yml of an earlier run is a recipe too. Without a field `config`:
// only the command line's settings.
Settings resolve(const CommandLine& line, const std::vector<Field>& known,
                 const std::vector<std::string>& folders = recipe_folders());

// Reads the options of a verb that has these alone.
template <class Options>
Options read_own(const CommandLine& line) {
  const std::vector<Field> known = described(describe_options<Options>);
  Fields field(resolve(line, known));
  Options options;
  options.describe(field);
  field.finish(known);
  return options;
}

// Raises a usage error for words that the verb does not take, or if it needs more:
// `need_words(line, {"RUN_DIR"})`. For an extra word the message suggests one of the verb's options
// (`known`): a run directory is for --checkpoint, a .yml file for --config.
void need_words(const CommandLine& line, const std::vector<std::string>& names,
                const std::vector<Field>& known = {});

// Warns on standard error if options were given more than once; only in the first process.
void warn_of_overruled(const CommandLine& line);

}  // namespace convoy
