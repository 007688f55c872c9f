#include "support/places.h"

namespace convoy::test {

fs::path source_dir() { return CONVOY_SOURCE_DIR; }

std::string convoy_program() { return CONVOY_PROGRAM; }

}  // namespace convoy::test
