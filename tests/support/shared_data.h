// Real data that is too large for the repository: the folder shared/data beside it, or where the
// variable CONVOY_SHARED_DATA points. Tests that need it skip, and say so, when it is not there.
#pragma once

#include <optional>
#include <string>

#include "base/files/file.h"

namespace convoy::test {

// A file or folder below the shared data.
std::optional<fs::path> shared_data(const std::string& name);

// What an .xz file expands to (by the program xz).
std::string read_xz(const fs::path& path);

}  // namespace convoy::test
