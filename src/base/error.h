// The one error type. It is thrown where the problem is found and caught in `main`, which prints
// one line and exits with the fault's code. A message says what, where, and what to try.
#pragma once

#include <fmt/core.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace convoy {

// The party that has to fix the problem. The numbers are the process's exit codes.
enum class Fault {
  bug = 1,         // we: a broken promise inside Convoy
  usage = 2,       // the caller: option, key or combination
  data = 3,        // the owner of the dataset
  checkpoint = 4,  // the owner of the weights or the run directory
  diverged = 5,    // the recipe: the loss is no longer a number
  no_space = 6,    // memory or disk
  peer = 7,        // another process or the network was lost
};

class Error : public std::runtime_error {
 public:
  Error(Fault fault, const std::string& message) : std::runtime_error(message), fault_(fault) {}
  Fault fault() const { return fault_; }
  int exit_code() const { return static_cast<int>(fault_); }

 private:
  Fault fault_;
};

template <class... Args>
[[noreturn]] void raise(Fault fault, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(fault, fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] void broken_promise(std::string_view why, const std::source_location& where);

// For conditions that only a mistake in Convoy itself can make false.
inline void expect(bool truth, std::string_view why,
                   const std::source_location& where = std::source_location::current()) {
  if (!truth) broken_promise(why, where);
}

}  // namespace convoy
