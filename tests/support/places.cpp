#include "support/places.h"

namespace convoy::test {

fs::path source_dir() { return CONVOY_SOURCE_DIR; }

std::string convoy_program() { return CONVOY_PROGRAM; }

std::string preload_library(const std::string& name) {
  return std::string(CONVOY_TEST_LIBRARIES) + "/libconvoy_" + name + ".so";
}

}  // namespace convoy::test
