// Definition of a verb. Each file in app/commands/ defines one: `CommandDef <stem>_command()`.
#pragma once

#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/fields.h"

namespace convoy {

struct CommandDef {
  std::string_view name;
  std::string_view summary;     // its line in the list of verbs
  std::string_view usage;       // "train [--config NAME] [options]"
  std::string_view details;     // a few lines with examples, printed unchanged
  std::string_view words = "";  // words accepted beside options ("bash zsh fish"), for completion
  // The most used options, for the first screen of --help if the whole help is longer than a
  // screen. Empty: the options of the first section.
  std::string_view basics = "";

  // Declares all options on temporary structs: for help, completion and parsing.
  void (*describe)(Fields& field);

  // Whether several processes (mpirun, srun) can run it together.
  bool shared = false;

  // Runs the verb and returns the exit code; errors are thrown.
  int (*run)(const CommandLine& line);

  // The first word is another verb; all that follows it belongs to that verb.
  bool words_end_options = false;
};

const std::vector<CommandDef>& command_catalog();  // generated from the folder

// Parses the words after a verb. An option that only other verbs have is a usage error that names
// them.
CommandLine parse_for(const CommandDef& command, const std::vector<std::string>& arguments);

// The declared options of a verb with their defaults.
std::vector<Field> described(void (*describe)(Fields& field));

}  // namespace convoy
