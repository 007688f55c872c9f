// A file of a run, opened for reading.
#pragma once

#include <cstdint>
#include <string>

#include "base/files/regular_file.h"

namespace convoy {

class OpenedFile {
 public:
  // Anything but a readable regular file is Fault::checkpoint.
  explicit OpenedFile(const fs::path& path);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  // For a process that shows files to others: from now on a file outside of `folder`, as reached
  // through a link, is Fault::checkpoint. Tested after opening, so no change of a link comes
  // between.
  static void keep_below(const fs::path& folder);

  uint64_t size() const { return file_.bytes; }
  uint64_t inode() const;
  // A path to the same open file, for readers that take paths.
  fs::path descriptor_path() const;
  // At most `bytes`, fewer at the end of the file, which may be cut meanwhile.
  std::string read(uint64_t offset, size_t bytes) const;

 private:
  fs::path path_;
  RegularFile file_;
};

// Whether there is no file of this name.
bool is_missing(const fs::path& path);

}  // namespace convoy
