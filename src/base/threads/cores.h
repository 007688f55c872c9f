// The processors this process may use, and pinning of threads to them.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

// The numbers of the processors on which the calling thread may run, ascending; never empty.
std::vector<int> allowed_cores();

// How many threads this process can keep busy, at least 1: the allowed processors, or the processor
// time that its cgroups grant, rounded up, whichever is less. `root` stands for "/" in tests.
int available_cores(const fs::path& root = "/");

// One core for each thread; `threads` must equal the number of allowed cores. With more threads
// than cores, or with fewer (we do not know which cores other runs use, and all runs would take the
// first ones), it is a usage error.
std::vector<int> cores_to_pin(int threads);

class CoreSet {
 public:
  explicit CoreSet(const std::vector<int>& cores);

  // From now on the calling thread, and threads that it starts, run on these cores only. If the
  // system refuses, nothing changes: only speed depends on it. Allocates nothing.
  void stay() const;

 private:
  std::vector<unsigned long> mask_;
};

}  // namespace convoy
