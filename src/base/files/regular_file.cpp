#include "base/files/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace convoy {
namespace {

[[noreturn]] void fail(const fs::path& path, int reason, Fault fault) {
  raise_file_error("read", path, reason, fault);
}

// Raises if the file is not regular.
void expect_regular(const struct stat& about, const fs::path& path, Fault fault) {
  if (S_ISREG(about.st_mode)) return;
  if (S_ISDIR(about.st_mode)) fail(path, EISDIR, fault);
  raise(fault, "cannot read {}: it is {}, not a file; try: save what it gives in a file first",
        path.string(),
        S_ISFIFO(about.st_mode)   ? "a pipe"
        : S_ISSOCK(about.st_mode) ? "a socket"
                                  : "a device");
}

}  // namespace

RegularFile open_regular(const fs::path& path, Fault fault) {
  // Without O_NONBLOCK, opening a pipe waits for its writer. Regular files are not affected.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENXIO) {
    raise(fault,
          "cannot read {}: it is a socket, not a file; try: save what it gives in a file first",
          path.string());
  }
  if (file < 0) fail(path, errno, fault);
  try {
    struct stat about {};
    if (::fstat(file, &about) != 0) fail(path, errno, fault);
    expect_regular(about, path, fault);
    return {file, static_cast<uint64_t>(about.st_size)};
  } catch (...) {
    ::close(file);
    throw;
  }
}

uint64_t regular_bytes(const fs::path& path, Fault fault) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) fail(path, errno, fault);
  expect_regular(about, path, fault);
  return static_cast<uint64_t>(about.st_size);
}

}  // namespace convoy
