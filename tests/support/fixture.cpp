#include "support/fixture.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/places.h"

namespace convoy::test {

fs::path fixture_path(const std::string& file) { return source_dir() / "tests/fixtures" / file; }

nlohmann::json fixture(const std::string& name) {
  std::ifstream file(fixture_path(name + ".json"));
  return nlohmann::json::parse(file);
}

std::vector<std::string> fixtures_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fixture_path(folder))) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace convoy::test
