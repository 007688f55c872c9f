// What control groups (v1, v2, or both side by side) let this process have: the tightest limit on
// the way from its own group up to the mount point.
#pragma once

#include <cstdint>
#include <limits>

#include "base/files/file.h"

namespace convoy {

struct CgroupLimits {
  int64_t memory_bytes = std::numeric_limits<int64_t>::max();
  double cores = std::numeric_limits<double>::infinity();  // processor time per time
};

// Reads <root>/proc/self/cgroup and the files it leads to under <root>/sys/fs/cgroup. What is
// missing or makes no sense is no limit. `root` stands for "/" in tests.
CgroupLimits cgroup_limits(const fs::path& root = "/");

}  // namespace convoy
