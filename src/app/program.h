// The program behind `main`: finds the verb, prints help, runs it, and turns errors into one line
// and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace convoy {

// `arguments` without the program's name. Returns the exit code; does not throw.
int run_program(const std::vector<std::string>& arguments);

// Runs `work` and returns its exit code; an exception becomes a line on standard error and its exit
// code.
int with_exit_code(const std::function<int()>& work);

// Prints an error and exits at once with the code of no space. It does not unwind, because not
// every library survives that, and needs no memory.
[[noreturn]] void end_out_of_memory();

// For std::set_terminate. If memory runs out where no exception is possible (in a library's
// destructor), the program ends with an error line and the code of no space, not with a signal.
[[noreturn]] void end_when_terminated();

}  // namespace convoy
