// What this process waits for in the file system just now. A disk that hangs (a frozen file system,
// a network mount without its server) holds a thread inside a system call for ever: another one
// must be able to tell the path.
//
// Every call of `base` that may wait for a disk holds a FileOperation meanwhile. It costs two locks
// and no memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace convoy {

struct FileWait {
  uint64_t number = 0;  // no two operations have the same
  std::string verb, path;
};

class FileOperation {
 public:
  // `verb` ("sync") and `path` must stay as long as this does.
  FileOperation(const char* verb, const std::filesystem::path& path);
  ~FileOperation();
  FileOperation(const FileOperation&) = delete;
  FileOperation& operator=(const FileOperation&) = delete;

  // A part of it is done; what is left counts as another one, perhaps with another verb.
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

// The one that has been under way for longest; none: there is none.
std::optional<FileWait> oldest_file_operation();
// Its number alone; 0: there is none.
uint64_t oldest_file_number();

// How many have come to their end so far.
uint64_t file_operations_done();

// Finds out that one takes too long; asked again and again by one thread.
class FileStall {
 public:
  // The operation that has been under way since at least `limit_s` before `now`.
  std::optional<FileWait> look(double now, double limit_s);

 private:
  uint64_t number_ = 0;
  double since_ = 0;
};

}  // namespace convoy
