// Folders as people leave them: with links that lead nowhere or in a circle, and with what cannot
// be read. Nothing here throws a std::filesystem_error.
#pragma once

#include <vector>

#include "base/files/file.h"

namespace convoy {

// Whether there is a folder, links followed. What the system will not tell about is none: reading
// it will say why.
bool is_folder(const fs::path& path);

struct FolderEntry {
  fs::path path;
  bool is_folder = false;  // links followed
};

// What is in a folder, by name; what is hidden (.name) is left out. A folder that cannot be read is
// `fault`.
std::vector<FolderEntry> folder_entries(const fs::path& folder, Fault fault);

// The folders that a walk is in. A link that leads back into one of them would never end.
class FolderTrail {
 public:
  // Of a walk that begins at `root`, which is in all the folders around it already.
  explicit FolderTrail(const fs::path& root);

  // False: the walk is in this folder already. Otherwise it is now, until `leave`.
  bool enter(const fs::path& folder);
  void leave() { inside_.pop_back(); }

 private:
  struct Identity {
    uint64_t device, number;
    bool operator==(const Identity&) const = default;
  };
  std::vector<Identity> inside_;
};

// All that is below a folder and no folder itself, by path, links followed, hidden ones left out. A
// folder that cannot be read, and a link that leads in a circle, is `fault` naming it.
std::vector<fs::path> files_below(const fs::path& folder, Fault fault);

}  // namespace convoy
