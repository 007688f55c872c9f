#include "base/threads/cgroup.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

namespace convoy {
namespace {

std::optional<int64_t> positive(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value > 0 ? std::optional(value) : std::nullopt;
}

// The word at index `number` in a file; empty if there is none.
std::string word_of(const fs::path& path, int number = 0) {
  std::ifstream file(path);
  std::string word;
  for (int i = 0; i <= number; ++i) {
    if (!(file >> word)) return "";
  }
  return word;
}

void limit_memory(CgroupLimits& limits, const std::string& bytes) {
  if (const auto limit = positive(bytes))
    limits.memory_bytes = std::min(limits.memory_bytes, *limit);
}

// `quota`: microseconds of processor time in each `period` of microseconds.
void limit_cores(CgroupLimits& limits, const std::string& quota, const std::string& period) {
  const auto q = positive(quota), p = positive(period);
  if (q && p)
    limits.cores = std::min(limits.cores, static_cast<double>(*q) / static_cast<double>(*p));
}

void read_v2(CgroupLimits& limits, const fs::path& group) {
  limit_memory(limits, word_of(group / "memory.max"));
  limit_cores(limits, word_of(group / "cpu.max"), word_of(group / "cpu.max", 1));
}
void read_v1_memory(CgroupLimits& limits, const fs::path& group) {
  limit_memory(limits, word_of(group / "memory.limit_in_bytes"));
}
void read_v1_cpu(CgroupLimits& limits, const fs::path& group) {
  limit_cores(limits, word_of(group / "cpu.cfs_quota_us"), word_of(group / "cpu.cfs_period_us"));
}

// Reads `group` and every group above it up to the mount point. Inside a container the path may be
// the host's and not exist here: then the mount point is the container's own group.
template <class Read>
void walk(CgroupLimits& limits, const fs::path& mount, fs::path group, const Read& read) {
  group = group.relative_path();
  // "/../job" is a group outside our namespace: it is nowhere under the mount point.
  if (std::find(group.begin(), group.end(), fs::path("..")) != group.end()) group.clear();
  while (true) {
    read(limits, mount / group);
    if (group.empty()) return;
    group = group.parent_path();
  }
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  // Lines: "0::/path" (v2), "5:cpu,memory:/path" (v1).
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) {
      walk(limits, mount, path, read_v2);
      walk(limits, mount / "unified", path, read_v2);  // v1 and v2 side by side
      continue;
    }
    const auto has = [&](const char* name) {
      return ("," + controllers + ",").find(std::string(",") + name + ",") != std::string::npos;
    };
    // The controllers may be mounted under one name, or under their joined name with links.
    for (const fs::path& at : {mount / "memory", mount / controllers}) {
      if (has("memory")) walk(limits, at, path, read_v1_memory);
    }
    for (const fs::path& at : {mount / "cpu", mount / controllers}) {
      if (has("cpu")) walk(limits, at, path, read_v1_cpu);
    }
  }
  return limits;
}

}  // namespace convoy
