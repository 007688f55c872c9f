#include "base/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace convoy {

AppendFile::AppendFile(fs::path path, Fault fault)
    : path_(std::move(path)),
      fault_(fault),
      descriptor_(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644)) {
  if (descriptor_ < 0) fail("open");
}

AppendFile::~AppendFile() { ::close(descriptor_); }

void AppendFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    text.remove_prefix(static_cast<size_t>(written));
  }
}

uint64_t AppendFile::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) fail("read the size of");
  return static_cast<uint64_t>(about.st_size);
}

void AppendFile::fail(std::string_view what) const {
  const int reason = errno;
  const bool full = reason == ENOSPC || reason == EDQUOT;
  raise(full ? Fault::no_space : fault_, "cannot {} {}: {}; try: {}", what, path_.string(),
        std::strerror(reason),
        full ? "free some disk space, then resume the run" : "check the folder's permissions");
}

}  // namespace convoy
