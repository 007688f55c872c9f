// Files that hold data are regular files. Opening a pipe would wait for whoever writes to it,
// perhaps for ever, and a device may never end: they are refused before anything is read.
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

// The size of a regular file, links followed; anything else is `fault`.
uint64_t regular_bytes(const fs::path& path, Fault fault);

}  // namespace convoy
