// One line about a file that could not be read or written: what failed, where, and what to try.
#pragma once

#include <string_view>

#include "base/file.h"

namespace convoy {

// Raises `fault` for the system's `reason` (errno), or Fault::no_space where a disk or a quota is
// full. `what` is what could not be done ("write"); `path` is the name the user knows.
[[noreturn]] void file_trouble(std::string_view what, const fs::path& path, int reason,
                               Fault fault);

}  // namespace convoy
