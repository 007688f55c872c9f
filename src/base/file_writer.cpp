#include "base/file_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file_operation.h"

namespace convoy {
namespace {

constexpr size_t buffer_bytes = 1 << 18;

}  // namespace

fs::path FileWriter::temporary(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + ".tmp");
}

FileWriter::FileWriter(fs::path path, Fault fault)
    : path_(std::move(path)),
      temporary_(temporary(path_)),
      fault_(fault),
      descriptor_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) fail("write");
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void FileWriter::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= buffer_bytes) flush();
}

void FileWriter::flush() {
  const FileOperation operation("write", path_);
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    rest.remove_prefix(static_cast<size_t>(written));
  }
  buffer_.clear();
}

void FileWriter::sync() {
  const FileOperation operation("sync", path_);
  if (::fsync(descriptor_) != 0) fail("sync");
}

void FileWriter::commit(bool durable) {
  flush();
  if (durable) sync();
  const int open = std::exchange(descriptor_, -1);
  bool renamed = ::close(open) == 0;  // on network file systems a write may fail as late as this
  if (renamed && durable) return replace_file(temporary_, path_, fault_);
  renamed = renamed && ::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (renamed) return;
  const int reason = errno;
  ::unlink(temporary_.c_str());
  errno = reason;
  fail("write");
}

void FileWriter::fail(std::string_view what) const { file_trouble(what, path_, errno, fault_); }

}  // namespace convoy
