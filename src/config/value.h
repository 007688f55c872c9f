// Converts option values to and from text, for all types of options. Parsing is strict; a formatted
// value parses back to exactly the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/show.h"  // one_line, for messages about values
#include "config/fields.h"

namespace convoy {

// Reads all of `text` into `value`. Returns the problem ("is not a whole number"), empty if none.
std::string parse_value(std::string_view text, bool& value);
std::string parse_value(std::string_view text, int& value);
std::string parse_value(std::string_view text, int64_t& value);
std::string parse_value(std::string_view text, uint64_t& value);
std::string parse_value(std::string_view text, float& value);
std::string parse_value(std::string_view text, double& value);
std::string parse_value(std::string_view text, std::string& value);
std::string parse_value(std::string_view text, std::vector<double>& value);
std::string parse_value(std::string_view text, std::vector<std::string>& value);

std::string format_value(bool value);
std::string format_value(int value);
std::string format_value(int64_t value);
std::string format_value(uint64_t value);
std::string format_value(float value);
std::string format_value(double value);
std::string format_value(const std::string& value);
std::string format_value(const std::vector<double>& value);
std::string format_value(const std::vector<std::string>& value);

// The problem of a value of the right type; empty if it is within the limits.
template <class Number>
std::string broken_limit(const Limits& limits, Number value) {
  const auto number = static_cast<double>(value);
  return number >= limits.low && number <= limits.high ? "" : "is not " + limits.text;
}
std::string broken_limit(const Limits& limits, const std::string& value);
std::string broken_limit(const Limits& limits, const std::vector<double>& value);
std::string broken_limit(const Limits& limits, const std::vector<std::string>& value);

// Converts A to Z into a to z.
std::string small_letters(std::string_view text);

// Whether the text is UTF-8 without zero bytes, which both YAML and JSON can represent.
bool is_plain_utf8(std::string_view text);

}  // namespace convoy
