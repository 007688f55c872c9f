// Parses JSON from files. All trees are built here, so that size and depth are limited in one place:
// a deeply nested tree is written, copied and freed by recursion and could overflow the stack.
// Files that are too large for a tree: base/text/json_rows.h.
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
  size_t depth = 16;        // how deep objects and lists may nest
  size_t values = 1 << 18;  // at a time in memory: a value can be as short as two bytes of text
};

// The problem, as the end of a sentence that begins with the text's name: "nests too deeply".
// Always one line.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws JsonError for what nlohmann's parser reported; `place` is "" or " in annotations[3]".
[[noreturn]] void refuse_json(std::string_view report, std::string_view place = "");

// Parses the text. Throws JsonError if it is not JSON in UTF-8, exceeds a limit, or has a key twice
// in one object.
nlohmann::json parse_json(std::string_view text, const JsonLimits& limits = {});
// The same, with the keys of objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text, const JsonLimits& limits = {});

// For a text that is one large object: calls `take` for each member in order, with its whole value,
// and stores none, so that little memory is used. A name that occurs twice is passed twice.
void for_each_json_member(
    std::string_view text, const JsonLimits& limits,
    const std::function<void(const std::string& name, const nlohmann::json& value)>& take);

}  // namespace convoy
