// What the system reports about this process and this machine.
#pragma once

#include <cstdint>
#include <string>

#include "base/files/file.h"

namespace convoy {

// The largest resident memory of this process so far (VmHWM); 0 if the system does not say.
int64_t peak_rss_bytes();

// The resident memory now; 0 if the system does not say. Allocates nothing.
int64_t resident_bytes();

std::string host_name();

// "Intel(R) Xeon(R) CPU …"; "unknown" if the system does not say.
std::string cpu_model();

// The memory this process may use: physical memory or the smallest limit of its cgroups (v1 or v2),
// whichever is less. `root` stands for "/" in tests.
int64_t memory_limit_bytes(const fs::path& root = "/");

// The memory this process can still get: what the system calls available, at most the limit above
// minus the resident memory.
int64_t free_memory_bytes();

}  // namespace convoy
