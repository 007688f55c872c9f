// The program behind `main`: finds the verb, shows help, runs it, and turns trouble into one line
// and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy {

// `arguments` without the program's name. Gives the exit code; throws nothing.
int run_program(const std::vector<std::string>& arguments);

// Runs `work` and gives its exit code; what it throws becomes a line on standard error and the code
// that belongs to it.
int with_exit_code(const std::function<int()>& work);

// Says so, and ends with the code of no space, at once: nothing is unwound, for not every library
// bears that. It needs no memory.
[[noreturn]] void end_out_of_memory();

// For std::set_terminate. Memory may run out where nothing can be thrown any more, in a destructor
// of a library: that ends the program with a line and the code of no space, not with a signal.
[[noreturn]] void end_when_terminated();

}  // namespace convoy
