#include "base/files/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files/file_operation.h"

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
  FileOperation operation("write", path_);
  if (!write_all(descriptor_, text, operation)) fail("write");
}

uint64_t AppendFile::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0) fail("read the size of");
  return static_cast<uint64_t>(about.st_size);
}

void AppendFile::fail(std::string_view what) const {
  raise_file_error(what, path_, errno, fault_, "check the folder, its disk and its permissions");
}

}  // namespace convoy
