// Runs a command line of another program: `convoy keras -bs 256 ...`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialects/dialect_plan.h"

namespace convoy {

// What the words after the verb are in Convoy; with a launcher's words, of the program inside it.
// `explain` and `json`: what was asked.
struct TranslatedCommand {
  std::unique_ptr<DialectPlan> plan;
  bool explain = false, json = false;
  std::string help;  // the text of --help, if that was asked
};
TranslatedCommand translate_dialect(const Dialect& dialect, const std::vector<std::string>& words,
                                    const DialectEnvironment& environment);

// Explains it, or does it: in this process, or in those of an mpirun that it starts. Returns the
// exit code.
int run_dialect(const Dialect& dialect, const std::vector<std::string>& words);

}  // namespace convoy
