// What the system says about this process and this machine.
#pragma once

#include <cstdint>
#include <string>

#include "base/files/file.h"

namespace convoy {

// The most memory this process has held so far (VmHWM); 0 where the system does not say.
int64_t peak_rss_bytes();

// What it holds now (VmRSS); likewise.
int64_t resident_bytes();

std::string host_name();

// "Intel(R) Xeon(R) CPU …"; "unknown" where the system does not say.
std::string cpu_model();

// What may be used: physical memory, or the smallest limit of the cgroups (v1 or v2) this process
// is in, whichever is less. `root` stands for "/" in tests.
int64_t memory_limit_bytes(const fs::path& root = "/");

// What is left of it: what the system says is available, and no more than the limit less what this
// process holds.
int64_t free_memory_bytes();

}  // namespace convoy
