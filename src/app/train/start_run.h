// Starts a new run: `convoy train`, and the dialects, which add a record of what they translated.
#pragma once

#include <string>

#include "config/command_line.h"
#include "config/fields.h"

namespace convoy {

// Declares the options of `convoy train`.
void describe_start(Fields& field);

// Trains until the end, a signal or an error; returns the exit code. `migration`: the text of the
// run's migration.json; empty: none.
int start_run(const CommandLine& typed, const std::string& migration);

}  // namespace convoy
