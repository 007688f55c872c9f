// The fixtures of tests/fixtures: what a peer computed, written down by the maker script beside it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/file.h"

namespace convoy::test {

fs::path fixture_path(const std::string& file);

// tests/fixtures/<name>.json
nlohmann::json fixture(const std::string& name);

}  // namespace convoy::test
