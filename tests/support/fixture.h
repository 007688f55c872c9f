// The fixtures of tests/fixtures: what a peer computed, written down by the maker script beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy::test {

fs::path fixture_path(const std::string& file);

// tests/fixtures/<name>.json
nlohmann::json fixture(const std::string& name);

// The names of the .json files of tests/fixtures/<folder>, sorted, without folder and ending.
std::vector<std::string> fixtures_in(const std::string& folder);

}  // namespace convoy::test
