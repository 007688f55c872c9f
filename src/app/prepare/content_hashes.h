// A hash of the content of every prepared file, in .prepare.hashes, to detect files of an earlier
// run that were damaged since. A line is appended when a file is complete; at the end the list is
// rewritten in order.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/files/append_file.h"

namespace convoy {

class ContentHashes {
 public:
  // Reads the hashes recorded by earlier runs in the folder.
  explicit ContentHashes(const fs::path& output);

  // XXH3-64 of the content of file `to` (a path below the folder); empty: not recorded.
  std::optional<uint64_t> noted(const std::string& to) const;

  // Call it when the file is complete; any thread may do so.
  void note(const std::string& to, uint64_t hash);

  // Replaces the list by these lines.
  struct Line {
    const std::string& to;
    uint64_t hash;
  };
  void finish(const std::vector<Line>& lines);

 private:
  fs::path file_;
  std::unordered_map<uint64_t, uint64_t> noted_;  // hash of the path -> hash of the content
  std::mutex mutex_;
  std::optional<AppendFile> log_;  // opened by the first `note`
};

}  // namespace convoy
