// Reads a log while another process writes it: complete lines only, each once. Notices when the
// file was truncated (by a resume), replaced or removed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/files/file.h"

namespace convoy {

class FollowedFile {
 public:
  enum class News {
    none,
    more,       // lines behind those that were read before
    restarted,  // the file is another one, or was cut: `take` got its lines from the beginning
    gone,
  };

  explicit FollowedFile(fs::path path) : path_(std::move(path)) {}

  // Calls `restart` (if lines were read before that no longer count), then `take` for each new
  // complete line without its end. A line of more than 1 MiB is passed over. A file that is there
  // and cannot be read is Fault::checkpoint.
  News read(const std::function<void()>& restart,
            const std::function<void(std::string_view line)>& take);

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  uint64_t offset_ = 0;  // behind the last complete line that was read
  uint64_t number_ = 0;  // the file's inode
  std::string end_;      // the last bytes before `offset_`
};

// The last complete lines of a file, at most `bytes` of them; a missing file has none. If
// `is_whole` is given, it is set to whether these are all lines.
std::string last_lines(const fs::path& path, uint64_t bytes, bool* is_whole = nullptr);
// The complete lines among the first `bytes` of a file; a missing file has none.
std::string first_lines(const fs::path& path, uint64_t bytes);

// Calls `take` for each line of the text.
void for_each_line(std::string_view text, const std::function<void(std::string_view)>& take);

}  // namespace convoy
