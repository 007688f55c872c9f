// The program as another process, the way a user or a cluster meets it: arguments, a working
// folder, signals, what it printed and how it ended.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace convoy::test {

using Arguments = std::vector<std::string>;

// One after the other.
Arguments joined(Arguments a, const Arguments& b);

struct Finished {
  int code = -1;  // 128 + signal where one ended it, as the shell says
  std::string out, err;
};

class Process {
 public:
  // Starts `convoy ARGUMENTS` in `folder`, with `before` in front: another program that starts it.
  Process(const Arguments& arguments, const fs::path& folder, const Arguments& before = {});
  // Whatever still runs is killed.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  pid_t pid() const { return pid_; }

  // Looks every fraction of a millisecond. False when the process ended first, or the time did.
  bool until(const std::function<bool()>& condition, double seconds = 120);

  bool has_ended();

  // Its end. One that takes longer than `seconds` is killed, and the test fails.
  Finished wait(double seconds = 300);

 private:
  TempFolder output_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

// Start and wait.
Finished run_convoy(const Arguments& arguments, const fs::path& folder);

// Starts that number of processes of one run on this machine, however few its cores.
Arguments mpirun(int processes);
Finished run_convoy_on(int processes, const Arguments& arguments, const fs::path& folder);

}  // namespace convoy::test
