#include "base/files/folder.h"

#include <sys/stat.h>

#include <algorithm>

namespace convoy {
namespace {

void add_below(const fs::path& folder, FolderTrail& trail, Fault fault,
               std::vector<fs::path>& found) {
  if (!trail.enter(folder)) {
    raise(fault, "{} leads back into a folder that it lies in; try: remove that link",
          folder.string());
  }
  for (FolderEntry& entry : folder_entries(folder, fault)) {
    if (entry.is_folder) {
      add_below(entry.path, trail, fault, found);
    } else {
      found.push_back(std::move(entry.path));
    }
  }
  trail.leave();
}

}  // namespace

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<FolderEntry> folder_entries(const fs::path& folder, Fault fault) {
  std::vector<FolderEntry> entries;
  std::error_code trouble;
  for (fs::directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    if (at->path().filename().native().starts_with('.')) continue;
    std::error_code ignored;
    entries.push_back({at->path(), at->is_directory(ignored)});
  }
  if (trouble) {
    raise(fault, "cannot look into the folder {}: {}; try: another one, or chmod +rx it",
          folder.string(), trouble.message());
  }
  std::ranges::sort(entries, {}, [](const FolderEntry& entry) -> const std::string& {
    return entry.path.native();
  });
  return entries;
}

FolderTrail::FolderTrail(const fs::path& root) {
  std::error_code ignored;
  const fs::path real = fs::canonical(root, ignored);
  for (fs::path around = real; around.has_relative_path();) {
    around = around.parent_path();
    enter(around);
  }
}

bool FolderTrail::enter(const fs::path& folder) {
  struct stat about {};
  // If stat fails, the folder has no identity; reading it will fail.
  if (::stat(folder.c_str(), &about) != 0) about = {};
  const Identity identity{about.st_dev, about.st_ino};
  if (identity.number && std::ranges::find(inside_, identity) != inside_.end()) return false;
  inside_.push_back(identity);
  return true;
}

std::vector<fs::path> files_below(const fs::path& folder, Fault fault) {
  std::vector<fs::path> found;
  FolderTrail trail(folder);
  add_below(folder, trail, fault, found);
  return found;
}

}  // namespace convoy
