#include <cerrno>
#include <cstring>

#include "base/files/file.h"

namespace convoy {
namespace {

// The first missing folder on the way to the path; empty: all of them exist.
fs::path missing_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path missing;
  for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder, ignored)) break;
    missing = folder;
    if (folder == folder.root_path()) break;
  }
  return missing;
}

std::string advice(int reason) {
  switch (reason) {
    case ENOENT:
      return "; try: check how it is spelled";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; try: check its permissions, or another place";
    case EISDIR:
      return "; try: the name of a file, this is a folder";
    case ENOTDIR:
      return "; try: another path, one of its parts is a file";
    case ENAMETOOLONG:
      return "; try: a shorter name";
    default:
      return "";
  }
}

}  // namespace

void raise_file_error(std::string_view what, const fs::path& path, int reason, Fault fault,
                      std::string_view otherwise) {
  const std::string cause = std::strerror(reason);
  if (reason == ENOSPC || reason == EDQUOT) {
    raise(Fault::no_space,
          "cannot {} {}: {}; try: free some disk space, or --output on another disk", what,
          path.string(), cause);
  }
  if (reason == EFBIG) {
    raise(Fault::no_space, "cannot {} {}: {}; try: a higher limit on the size of files (ulimit -f)",
          what, path.string(), cause);
  }
  if (const fs::path folder = missing_folder(path); reason == ENOENT && !folder.empty()) {
    raise(fault, "cannot {} {}: there is no folder {}; try: make it, or another path", what,
          path.string(), folder.string());
  }
  const std::string hint = otherwise.empty() ? advice(reason) : fmt::format("; try: {}", otherwise);
  raise(fault, "cannot {} {}: {}{}", what, path.string(), cause, hint);
}

}  // namespace convoy
