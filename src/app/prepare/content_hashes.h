// What every prepared file must hold: a hash of it in .prepare.hashes, so that a file of an earlier
// run can be told from one that was damaged since. A line is added when a file has its name; at the
// end the list is written anew, in order.
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
  // Reads what earlier runs have noted in the folder.
  explicit ContentHashes(const fs::path& output);

  // XXH3-64 of what the file `to`, a path below the folder, holds; nothing where none was noted.
  std::optional<uint64_t> noted(const std::string& to) const;

  // By any thread, when the file is complete.
  void note(const std::string& to, uint64_t hash);

  // The list is these lines from now on.
  struct Line {
    const std::string& to;
    uint64_t hash;
  };
  void finish(const std::vector<Line>& lines);

 private:
  fs::path file_;
  std::unordered_map<uint64_t, uint64_t> noted_;  // hash of the path -> hash of the content
  std::mutex mutex_;
  std::optional<AppendFile> log_;  // from the first note on
};

}  // namespace convoy
