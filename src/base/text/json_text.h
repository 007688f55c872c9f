// JSON as it is printed and written: what is no UTF-8, as names of files may be, becomes U+FFFD
// instead of an exception, and what a terminal would obey stands as JSON's own escape.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convoy {

// Without an end of line behind it. `indent` below 0: all on one line.
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace convoy
