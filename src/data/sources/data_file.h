// Whether a dataset's file is there.
#pragma once

#include "base/files/file.h"

namespace convoy {

// False only when there is surely none. Where the system will not say (no permission), it is true:
// the read that follows then gives the reason.
inline bool is_there(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code) || code;
}

}  // namespace convoy
