#include "base/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

#include "base/threads/cgroup.h"

namespace convoy {
namespace {

// The rest of the first line that starts with `key`, without the colon and blanks; empty if none
// does.
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

int64_t bytes_after(const fs::path& path, std::string_view key) {
  const std::string text = line_after(path, key);  // "1234 kB"
  int64_t kilobytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), kilobytes);
  return kilobytes * 1024;
}

}  // namespace

int64_t peak_rss_bytes() { return bytes_after("/proc/self/status", "VmHWM"); }

// "SIZE RESIDENT ...", in pages.
int64_t resident_bytes() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  const ssize_t length = ::read(file, text.data(), text.size());
  ::close(file);
  const std::string_view all(text.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  const size_t second = all.find(' ');
  int64_t pages = 0;
  if (second != all.npos) std::from_chars(&all[second] + 1, all.data() + all.size(), pages);
  return pages * ::sysconf(_SC_PAGESIZE);
}

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
  const int64_t physical = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::min(physical, cgroup_limits(root).memory_bytes);
}

int64_t free_memory_bytes() {
  return std::min(bytes_after("/proc/meminfo", "MemAvailable"),
                  memory_limit_bytes() - resident_bytes());
}

}  // namespace convoy
