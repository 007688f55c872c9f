// A verb of the program. Each file in app/commands/ defines one: `CommandDef <stem>_command()`.
#pragma once

#include <string_view>
#include <vector>

#include "config/command_line.h"
#include "config/fields.h"

namespace convoy {

struct CommandDef {
  std::string_view name;
  std::string_view summary;     // one line of the list of verbs
  std::string_view usage;       // "train [--config NAME] [options]"
  std::string_view details;     // a few lines with examples that teach; printed as they stand
  std::string_view words = "";  // what may stand beside options ("bash zsh fish"), for completion
  // The options that people use most, for the first screen of --help where all of it is longer than
  // a screen. Empty: the options of the first section.
  std::string_view basics = "";

  // Declares all options against throw-away structs: for help, completion and parsing.
  void (*describe)(Fields& field);

  // Whether several processes (mpirun, srun) can do it together.
  bool shared = false;

  // Does it and returns the exit code; trouble is thrown.
  int (*run)(const CommandLine& line);

  // The first word is another verb, and everything after it belongs to that.
  bool words_end_options = false;
};

const std::vector<CommandDef>& command_catalog();  // generated from the folder

// What was typed after a verb. An option that only other verbs have is a usage error naming them.
CommandLine parse_for(const CommandDef& command, const std::vector<std::string>& arguments);

// The declared options of a verb, at their defaults.
std::vector<Field> described(void (*describe)(Fields& field));

}  // namespace convoy
