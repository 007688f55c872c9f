#include "support/fixture.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace convoy::test {

fs::path fixture_path(const std::string& file) {
  return fs::path(CONVOY_SOURCE_DIR) / "tests/fixtures" / file;
}

nlohmann::json fixture(const std::string& name) {
  std::ifstream file(fixture_path(name + ".json"));
  return nlohmann::json::parse(file);
}

}  // namespace convoy::test
