// What the control groups (v1, v2, or both) allow this process: the tightest limit among its own
// group and all groups above it.
#pragma once

#include <cstdint>
#include <limits>

#include "base/files/file.h"

namespace convoy {

struct CgroupLimits {
  int64_t memory_bytes = std::numeric_limits<int64_t>::max();
  double cores = std::numeric_limits<double>::infinity();  // processor time per wall-clock time
};

// Reads <root>/proc/self/cgroup and the files it points to under <root>/sys/fs/cgroup. A missing or
// malformed file sets no limit. `root` stands for "/" in tests.
CgroupLimits cgroup_limits(const fs::path& root = "/");

}  // namespace convoy
