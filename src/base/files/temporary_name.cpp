#include "base/files/temporary_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace convoy {
namespace {

constexpr std::string_view ending = ".tmp";
constexpr size_t digits = 16;

std::string beginning(const fs::path& path) { return "." + path.filename().string() + "."; }

bool is_temporary(std::string_view name) {
  constexpr size_t behind = digits + ending.size();
  if (name.size() < behind + 3 || name.front() != '.' || !name.ends_with(ending)) return false;
  const std::string_view random = name.substr(name.size() - behind, digits);
  return name[name.size() - behind - 1] == '.' &&
         random.find_first_not_of("0123456789abcdef") == random.npos;
}

// A live writer of such a file keeps its lock.
void remove_if_dead(const fs::path& path) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0) return;
  if (S_ISLNK(about.st_mode)) {  // exists for a moment only, and under the lock of its folder
    ::unlink(path.c_str());
    return;
  }
  if (!S_ISREG(about.st_mode)) return;
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(file);
}

template <class Iterator>
void remove_leftovers(const fs::path& folder, std::string_view begin) {
  std::error_code code;
  std::vector<fs::path> found;
  for (Iterator entry(folder.empty() ? "." : folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (is_temporary(name) && name.starts_with(begin)) found.push_back(entry->path());
  }
  for (const fs::path& path : found) remove_if_dead(path);
}

}  // namespace

std::string unpredictable_digits() {
  uint64_t bits = 0;
  // A short read is only possible when a signal arrives before the system's pool is initialised.
  while (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return hash_hex(bits);
}

fs::path temporary_name(const fs::path& path) {
  return path.parent_path() /
         fmt::format("{}{}{}", beginning(path), unpredictable_digits(), ending);
}

int open_temporary(const fs::path& path, fs::path& name) {
  for (;;) {
    name = temporary_name(path);
    const int file =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) return file;
    while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
    }
    // Between open and lock another process may have locked the file and removed it as a leftover.
    struct stat about {};
    if (::fstat(file, &about) == 0 && about.st_nlink > 0) return file;
    ::close(file);
  }
}

void remove_leftovers_of(const fs::path& path) {
  remove_leftovers<fs::directory_iterator>(path.parent_path(), beginning(path));
}

void remove_leftovers_in(const fs::path& folder) {
  remove_leftovers<fs::directory_iterator>(folder, ".");
}

void remove_leftovers_below(const fs::path& folder) {
  remove_leftovers<fs::recursive_directory_iterator>(folder, ".");
}

}  // namespace convoy
