// The program behind `main`: finds the verb, shows help, runs it, and turns trouble into one line
// and an exit code.
#pragma once

#include <string>
#include <vector>

namespace convoy {

// `arguments` without the program's name. Gives the exit code; throws nothing.
int run_program(const std::vector<std::string>& arguments);

}  // namespace convoy
