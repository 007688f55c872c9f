#include "report/runs/opened_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace convoy {
namespace {

fs::path& bound() {  // empty: none
  static fs::path folder;
  return folder;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

}  // namespace

OpenedFile::OpenedFile(const fs::path& path)
    : path_(path), file_(open_regular(path, Fault::checkpoint)) {
  if (bound().empty()) return;
  std::error_code failed;
  const fs::path real = fs::read_symlink(descriptor_path(), failed);
  if (!failed && is_below(real, bound())) return;
  ::close(file_.descriptor);
  raise(Fault::checkpoint, "{} is outside of {}, so it is not shown; try: a copy of the run",
        path.string(), bound().string());
}

OpenedFile::~OpenedFile() { ::close(file_.descriptor); }

void OpenedFile::keep_below(const fs::path& folder) { bound() = fs::canonical(folder); }

uint64_t OpenedFile::inode() const {
  struct stat about {};
  return ::fstat(file_.descriptor, &about) == 0 ? about.st_ino : 0;
}

fs::path OpenedFile::descriptor_path() const {
  return "/proc/self/fd/" + std::to_string(file_.descriptor);
}

std::string OpenedFile::read(uint64_t offset, size_t bytes) const {
  std::string into(bytes, '\0');
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(file_.descriptor, into.data() + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) raise_file_error("read", path_, errno, Fault::checkpoint);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  into.resize(done);
  return into;
}

bool is_missing(const fs::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

}  // namespace convoy
