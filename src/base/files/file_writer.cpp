#include "base/files/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/files/file_operation.h"
#include "base/files/temporary_name.h"

namespace convoy {
namespace {

constexpr size_t buffer_bytes = 1 << 18;

// A commit would replace a device or pipe by a file; as root even /dev/null.
void refuse_other_kinds(const fs::path& path, Fault fault) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode)) return;
  raise(fault, "cannot write {}: it is {} and no regular file; try: another path", path.string(),
        S_ISDIR(about.st_mode) ? "a folder" : "a device or a pipe");
}

int open_beside(const fs::path& path, fs::path& temporary, Fault fault) {
  refuse_other_kinds(path, fault);
  return open_temporary(path, temporary);
}

}  // namespace

FileWriter::FileWriter(fs::path path, Fault fault)
    : path_(std::move(path)), fault_(fault), descriptor_(open_beside(path_, temporary_, fault)) {
  if (descriptor_ < 0) fail("write");
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(descriptor_);
}

void FileWriter::write(std::string_view bytes) {
  if (bytes.size() >= buffer_bytes) {
    flush();
    write_out(bytes);
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() >= buffer_bytes) flush();
}

void FileWriter::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void FileWriter::write_out(std::string_view bytes) {
  FileOperation operation("write", path_);
  if (!write_all(descriptor_, bytes, operation)) fail("write");
}

void FileWriter::sync() {
  const FileOperation operation("sync", path_);
  if (::fsync(descriptor_) != 0) fail("sync");
}

void FileWriter::commit(bool durable) {
  flush();
  if (durable) sync();
  // On network file systems a write may fail as late as at the close. The second descriptor keeps
  // the lock until the rename: without it another process could remove the file as a leftover.
  const int second = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (second < 0) fail("write");
  const bool is_written = ::close(std::exchange(descriptor_, second)) == 0;
  if (!is_written) fail("write");
  if (durable) {
    replace_file(temporary_, path_, fault_);
  } else if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    fail("rename to");
  }
  ::close(std::exchange(descriptor_, -1));
}

void FileWriter::fail(std::string_view what) const {
  raise_file_error(what, path_, errno, fault_, "check the folder and its permissions");
}

}  // namespace convoy
