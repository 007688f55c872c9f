#include "base/process.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

namespace convoy {
namespace {

// The rest of the first line that starts with `key`, without the colon and blanks; empty if none.
std::string line_after(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

int64_t status_bytes(std::string_view key) {
  const std::string text = line_after("/proc/self/status", key);  // "1234 kB"
  int64_t kilobytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), kilobytes);
  return kilobytes * 1024;
}

// A positive number of bytes, or `other` when the file is missing or says "max".
int64_t limit_in(const fs::path& path, int64_t other) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc{} && bytes > 0 ? bytes : other;
}

// The limit of `group` and of every cgroup above it, below the mount point.
int64_t limit_along(const fs::path& mount, fs::path group, const char* file, int64_t limit) {
  group = group.relative_path();
  while (true) {
    limit = std::min(limit, limit_in(mount / group / file, limit));
    if (group.empty()) return limit;
    group = group.parent_path();
  }
}

}  // namespace

int64_t peak_rss_bytes() { return status_bytes("VmHWM"); }

int64_t resident_bytes() { return status_bytes("VmRSS"); }

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string cpu_model() {
  const std::string model = line_after("/proc/cpuinfo", "model name");
  return model.empty() ? "unknown" : model;
}

int64_t memory_limit_bytes(const fs::path& root) {
  int64_t limit = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  const fs::path mount = root / "sys/fs/cgroup";
  // Lines of /proc/self/cgroup: "0::/path" (v2), "5:cpu,memory:/path" (v1). Inside a container the
  // path may be the host's and not exist here; the walk up still reads the mount point itself.
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") limit = limit_along(mount, path, "memory.max", limit);
    if (controllers.find(",memory,") != std::string::npos) {
      limit = limit_along(mount / "memory", path, "memory.limit_in_bytes", limit);
    }
  }
  return limit;
}

}  // namespace convoy
