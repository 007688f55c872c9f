// Writes JSON for the screen and for files. Bytes that are not UTF-8, as in file names, become
// U+FFFD instead of an exception; control characters are escaped.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convoy {

// No line end at the end. `indent` below 0: all on one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace convoy
