// Files of a dataset: whether they exist; and a hint that one is read soon.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "base/files/file.h"

namespace convoy {

// False only if the file certainly does not exist. If the system refuses to say (no permission) it
// is true: the read that follows then reports the reason.
inline bool is_there(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code) || code;
}

// Hint: the whole file will be read soon. The read reports errors.
inline void announce_read_of(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  ::close(file);
}

}  // namespace convoy
