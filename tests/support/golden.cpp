#include "support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/file.h"
#include "support/places.h"

namespace convoy::test {

void expect_golden(const std::string& name, const std::string& text) {
  const fs::path path = source_dir() / "tests" / "golden" / name;
  if (std::getenv("UPDATE_GOLDEN")) {
    write_atomically(path, text, Fault::data);
    return;
  }
  EXPECT_EQ(text, read_file(path, Fault::data))
      << "tests/golden/" << name << " differs; try: UPDATE_GOLDEN=1, then read the difference";
}

}  // namespace convoy::test
