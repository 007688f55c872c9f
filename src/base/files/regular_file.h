// Opens data files and refuses everything but regular files, before anything is read: opening a
// pipe would wait for its writer, perhaps for ever, and a device may never end.
#pragma once

#include <cstdint>

#include "base/files/file.h"

namespace convoy {

struct RegularFile {
  int descriptor;
  uint64_t bytes;
};

// Opens for reading, or raises `fault` with the path and the reason. The caller closes.
RegularFile open_regular(const fs::path& path, Fault fault);

// The size of a regular file; follows links. Anything else is `fault`.
uint64_t regular_bytes(const fs::path& path, Fault fault);

}  // namespace convoy
