// Runs a command line of the shell and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace convoy::test {

struct ShellResult {
  int code = -1;  // 128 + signal where one ended it, as the shell says
  std::string output;
};

inline ShellResult shell(const std::string& command) {
  ShellResult result;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return result;
  std::array<char, 4096> buffer{};
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

inline bool has_program(const std::string& name) {
  return shell("command -v " + name + " 2>&1").code == 0;
}

}  // namespace convoy::test
