// A file that is read at any place by any number of threads: pread, so that no place is shared.
#pragma once

#include <cstdint>
#include <string>

#include "base/files/file.h"

namespace convoy {

class RandomFile {
 public:
  // A failure is `fault`, here and later, with the path and the system's reason.
  RandomFile(fs::path path, Fault fault);
  ~RandomFile();
  RandomFile(RandomFile&& other) noexcept;
  RandomFile& operator=(RandomFile&&) = delete;

  const fs::path& path() const { return path_; }
  uint64_t size() const { return size_; }

  // Exactly `bytes` bytes from `offset` on. What lies behind the end of the file is a failure.
  void read(uint64_t offset, char* into, size_t bytes) const;
  std::string read(uint64_t offset, size_t bytes) const;

  // Hints to the system: these bytes will be read soon; reads will jump about.
  void expect_read(uint64_t offset, uint64_t bytes) const;
  void expect_jumps() const;

 private:
  fs::path path_;
  Fault fault_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

// Makes room for so many open files, as far as the system allows. Whether it is enough.
bool allow_open_files(uint64_t count);

}  // namespace convoy
