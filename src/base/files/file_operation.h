// The file operations that this process is waiting for now. When a disk hangs (a frozen file
// system, a network mount without its server), a system call may never return; another thread must
// then be able to name the path.
//
// Every call of `base` that may wait for a disk keeps a FileOperation alive during the call. It
// costs two locks and no memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace convoy {

struct FileWait {
  uint64_t number = 0;  // unique in this process
  std::string verb, path;
};

class FileOperation {
 public:
  // `verb` ("sync") and `path` must live as long as this object.
  FileOperation(const char* verb, const std::filesystem::path& path);
  ~FileOperation();
  FileOperation(const FileOperation&) = delete;
  FileOperation& operator=(const FileOperation&) = delete;

  // Ends this operation and starts the next one, perhaps with another verb: shows progress.
  void advance();
  void advance(const char* verb);

 private:
  friend std::optional<FileWait> oldest_file_operation();
  friend uint64_t oldest_file_number();
  void enter();
  void leave();

  const char* verb_;
  const std::filesystem::path& path_;
  uint64_t number_ = 0;
  FileOperation *older_ = nullptr, *newer_ = nullptr;
};

// The operation that has run longest; nothing if none runs.
std::optional<FileWait> oldest_file_operation();
// Only its number; 0: none runs.
uint64_t oldest_file_number();

// How many operations have ended so far.
uint64_t file_operations_done();

// Detects an operation that takes too long. One thread calls `look` regularly.
class FileStall {
 public:
  // Returns the operation that has run since at least `limit_s` before `now`.
  std::optional<FileWait> look(double now, double limit_s);

 private:
  uint64_t number_ = 0;
  double since_ = 0;
};

}  // namespace convoy
