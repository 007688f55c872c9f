// A log file that only grows. Every append reaches the kernel at once, so that a killed process
// loses no line. It does not fsync: the caller that records the length does (CheckpointStore).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/files/file.h"

namespace convoy {

class AppendFile {
 public:
  // Opens or creates the file. This and `append` raise Fault::no_space when the disk is full, else
  // `fault`.
  AppendFile(fs::path path, Fault fault);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Writes at the current end of the file: another writer may have truncated it meanwhile.
  void append(std::string_view text);
  uint64_t size() const;
  const fs::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(std::string_view what) const;

  fs::path path_;
  Fault fault_;
  int descriptor_;
};

}  // namespace convoy
