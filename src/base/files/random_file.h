// A file that any number of threads read at any offset (pread: no shared file position).
#pragma once

#include <cstdint>
#include <string>

#include "base/files/file.h"

namespace convoy {

class RandomFile {
 public:
  // Any failure, here and later, is `fault` with the path and the system's reason.
  RandomFile(fs::path path, Fault fault);
  ~RandomFile();
  RandomFile(RandomFile&& other) noexcept;
  RandomFile& operator=(RandomFile&&) = delete;

  const fs::path& path() const { return path_; }
  uint64_t size() const { return size_; }

  // Reads exactly `bytes` bytes from `offset` on. Reading past the end of the file is a failure.
  void read(uint64_t offset, char* into, size_t bytes) const;
  std::string read(uint64_t offset, size_t bytes) const;

  // Hints to the system: these bytes will be read soon; reads will be in random order.
  void announce_read(uint64_t offset, uint64_t bytes) const;
  void expect_jumps() const;

 private:
  fs::path path_;
  Fault fault_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Raises the process's limit of open files to `count`, as far as the system allows. Returns whether
// that is enough.
bool allow_open_files(uint64_t count);

}  // namespace convoy
