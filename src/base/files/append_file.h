// A log that only grows. Every append reaches the kernel at once, so that a killed process loses no
// line; fsync is left to whoever records the length (CheckpointStore).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/files/file.h"

namespace convoy {

class AppendFile {
 public:
  // Opens or creates. A failure is `fault`, a full disk Fault::no_space; so for `append`.
  AppendFile(fs::path path, Fault fault);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  // Writes at the end, wherever that is by now: somebody may have cut the file.
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
