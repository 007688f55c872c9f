// The processors this process may use, and the threads that stay on one.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

// The numbers of those on which the calling thread may run, ascending; never empty.
std::vector<int> allowed_cores();

// How many threads this process can keep busy: those processors, or the processor time that its
// cgroups grant, rounded up, whichever is less; at least 1. `root` stands for "/" in tests.
int available_cores(const fs::path& root = "/");

// A core for each of so many threads, if those are all we may use: any others of ours, and those of
// other processes, then have the same choice everywhere. With fewer threads nobody could say which
// cores other runs have taken, and all would take the first: a usage error, as are more threads.
std::vector<int> cores_to_pin(int threads);

class CoreSet {
 public:
  explicit CoreSet(const std::vector<int>& cores);

  // From now on the calling thread runs on these alone, and so do threads it starts. Where the
  // system refuses, all stays as it was: nothing but speed depends on it. Allocates nothing.
  void stay() const;

 private:
  std::vector<unsigned long> mask_;
};

}  // namespace convoy
