// JSON that came from a file. All of it is read here, so that size and depth are limited in one
// place: a tree that nests deeply is written, copied and freed by recursion and takes the stack.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace convoy {

struct JsonLimits {
  size_t bytes = size_t{16} << 20;
  size_t depth = 16;        // objects and lists in one another
  size_t values = 1 << 18;  // in memory at a time: two bytes of text can be one
};

// What is wrong with a text, as the end of a sentence that begins with its name: "nests too
// deeply". One line, whatever the text holds.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value that the text is. JsonError where it is not JSON in UTF-8, breaks a limit, or has a key
// twice in one object.
nlohmann::json parse_json(std::string_view text, const JsonLimits& limits = {});
// The same, with the keys of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonLimits& limits = {});

// The text is one object, whose members are handed over one by one in their order, each whole; none
// is kept, so that a large object takes little memory. A name that comes twice is handed over
// twice.
void for_each_json_member(
    std::string_view text, const JsonLimits& limits,
    const std::function<void(const std::string& name, const nlohmann::json& value)>& take);

}  // namespace convoy
