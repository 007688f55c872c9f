#include "base/files/random_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/files/file_operation.h"
#include "base/files/regular_file.h"

namespace convoy {
namespace {

constexpr size_t most_bytes = 16 << 20;  // so that a watchdog sees progress on a slow disk

[[noreturn]] void fail(const fs::path& path, Fault fault) {
  raise_file_error("read", path, errno, fault);
}

}  // namespace

RandomFile::RandomFile(fs::path path, Fault fault) : path_(std::move(path)), fault_(fault) {
  const RegularFile file = open_regular(path_, fault_);
  descriptor_ = file.descriptor;
  size_ = file.bytes;
}

RandomFile::~RandomFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RandomFile::RandomFile(RandomFile&& other) noexcept
    : path_(std::move(other.path_)),
      fault_(other.fault_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

void RandomFile::read(uint64_t offset, char* into, size_t bytes) const {
  FileOperation operation("read", path_);
  while (bytes > 0) {
    const ssize_t got =
        ::pread(descriptor_, into, std::min(bytes, most_bytes), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, fault_);
    if (got == 0) raise(fault_, "cannot read {}: it ends before byte {}", path_.string(), offset);
    offset += static_cast<uint64_t>(got);
    into += got;
    bytes -= static_cast<size_t>(got);
    if (bytes > 0) operation.advance();
  }
}

std::string RandomFile::read(uint64_t offset, size_t bytes) const {
  std::string content(bytes, '\0');
  read(offset, content.data(), bytes);
  return content;
}

void RandomFile::announce_read(uint64_t offset, uint64_t bytes) const {
  (void)::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                        POSIX_FADV_WILLNEED);
}

void RandomFile::expect_jumps() const {
  (void)::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_RANDOM);
}

bool allow_open_files(uint64_t count) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= count) return true;
  limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= count;
}

}  // namespace convoy
