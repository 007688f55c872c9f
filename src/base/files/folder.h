// Lists and walks folders of users, which may contain broken links, circular links and unreadable
// entries. Nothing here throws a std::filesystem_error.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

// Whether the path is a folder; follows links. False if the system refuses to say: reading it will
// then fail with the reason.
bool is_folder(const fs::path& path);

struct FolderEntry {
  fs::path path;
  bool is_folder = false;  // links followed
};

// The entries of a folder, sorted by name, without hidden ones (.name). An unreadable folder is
// `fault`.
std::vector<FolderEntry> folder_entries(const fs::path& folder, Fault fault);

// The folders that a walk is inside now. It finds links that lead back into one of them.
class FolderTrail {
 public:
  // For a walk that begins at `root`; it counts as inside all parents of `root` too.
  explicit FolderTrail(const fs::path& root);

  // Enters a folder until `leave`. False: the walk is inside this folder already.
  bool enter(const fs::path& folder);
  void leave() { inside_.pop_back(); }

 private:
  struct Identity {
    uint64_t device, number;
    bool operator==(const Identity&) const = default;
  };
  std::vector<Identity> inside_;
};

// All entries below a folder that are not folders, sorted by path; follows links, leaves hidden
// ones out. An unreadable folder or a circular link is `fault` and is named.
std::vector<fs::path> files_below(const fs::path& folder, Fault fault);

}  // namespace convoy
