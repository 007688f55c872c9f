// Tests whether a file of a dataset exists.
#pragma once

#include "base/files/file.h"

namespace convoy {

// False only if the file certainly does not exist. If the system refuses to say (no permission) it
// is true: the read that follows then reports the reason.
inline bool is_there(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code) || code;
}

}  // namespace convoy
