#include "base/threads/cores.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "base/threads/cgroup.h"
#include "base/threads/core_grant.h"

namespace convoy {
namespace {

// A mask in the kernel's form. Not cpu_set_t: it ends at 1024 processors, and large machines have
// more.
using Mask = std::vector<unsigned long>;
constexpr int bits = 8 * sizeof(unsigned long);

std::vector<int> list(const Mask& mask) {
  std::vector<int> cores;
  for (int core = 0; core < static_cast<int>(mask.size()) * bits; ++core) {
    if (mask[static_cast<size_t>(core / bits)] >> (core % bits) & 1) cores.push_back(core);
  }
  return cores;
}

}  // namespace

std::vector<int> allowed_cores() {
  for (size_t words = 1024 / bits; words <= (1 << 20) / bits; words *= 2) {
    Mask mask(words);
    if (::sched_getaffinity(0, words * sizeof mask[0], reinterpret_cast<cpu_set_t*>(mask.data())) ==
        0)
      return list(mask);
    if (errno != EINVAL) break;  // EINVAL: the kernel has more processors than the mask
  }
  std::vector<int> cores(std::max(1u, std::thread::hardware_concurrency()));
  for (size_t i = 0; i < cores.size(); ++i) cores[i] = static_cast<int>(i);
  return cores;
}

int available_cores(const fs::path& root) {
  const auto allowed = static_cast<double>(allowed_cores().size());
  const double cores = std::min(allowed, std::ceil(cgroup_limits(root).cores));
  return granted_cores() ? granted_cores() : std::max(1, static_cast<int>(cores));
}

std::vector<int> cores_to_pin(int threads) {
  const std::vector<int> cores = allowed_cores();
  if (cores.size() != static_cast<size_t>(threads)) {
    raise(Fault::usage,
          "--pin needs a thread for every core, and there are {} for {}; try: --threads {}, or "
          "taskset -c FIRST-LAST convoy …",
          threads, cores.size(), cores.size());
  }
  return cores;
}

CoreSet::CoreSet(const std::vector<int>& cores) {
  for (const int core : cores) {
    const auto word = static_cast<size_t>(core / bits);
    mask_.resize(std::max(mask_.size(), word + 1));
    mask_[word] |= 1ul << (core % bits);
  }
}

void CoreSet::stay() const {
  ::sched_setaffinity(0, mask_.size() * sizeof mask_[0],
                      reinterpret_cast<const cpu_set_t*>(mask_.data()));
}

}  // namespace convoy
