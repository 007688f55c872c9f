// Where the tests find the sources and the program. The build tells it to places.cpp alone, so that
// no other object depends on where the repository lies (and ccache serves every clone).
#pragma once

#include <string>

#include "base/files/file.h"

namespace convoy::test {

fs::path source_dir();
std::string convoy_program();
// A library of tests/faults, for LD_PRELOAD: preload_library("hang_sync").
std::string preload_library(const std::string& name);

}  // namespace convoy::test
