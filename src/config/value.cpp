#include "config/value.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace convoy {
namespace {

// from_chars has no locale and accepts no leading space, and no sign for unsigned types.
template <class T>
std::string parse_number(std::string_view text, T& value, std::string_view what) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return fmt::format("is not {}", what);
  }
  if (error != std::errc{}) return "is out of range";
  return "";
}

template <class T>
std::string parse_whole(std::string_view text, T& value) {
  std::string problem = parse_number(text, value, "a whole number");
  if (problem != "is out of range") return problem;
  return fmt::format("is out of range ({} to {})", std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::max());
}

template <class T>
std::string parse_real(std::string_view text, T& value) {
  std::string problem = parse_number(text, value, "a number");
  if (problem.empty() && !std::isfinite(value)) return "is not a finite number";
  return problem;
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

template <class T>
std::string parse_list(std::string_view text, std::vector<T>& value) {
  value.clear();
  if (trimmed(text).empty()) return "";
  for (const std::string& part : split(text, ',')) {
    const std::string_view element = trimmed(part);
    if (element.empty()) return "has an empty element";
    T parsed{};
    const std::string problem = parse_value(element, parsed);
    if (!problem.empty()) return fmt::format("has an element \"{}\" that {}", element, problem);
    value.push_back(std::move(parsed));
  }
  return "";
}

template <class T>
std::string first_broken(const Limits& limits, const std::vector<T>& values) {
  for (const T& value : values) {
    const std::string problem = broken_limit(limits, value);
    if (!problem.empty()) {
      return fmt::format("has an element \"{}\" that {}", format_value(value), problem);
    }
  }
  return "";
}

}  // namespace

std::string parse_value(std::string_view text, bool& value) {
  std::string lower(text);
  for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::array<std::string_view, 4> yes{"true", "yes", "on", "1"};
  constexpr std::array<std::string_view, 4> no{"false", "no", "off", "0"};
  value = std::ranges::find(yes, lower) != yes.end();
  if (value || std::ranges::find(no, lower) != no.end()) return "";
  return "is neither true nor false";
}

std::string parse_value(std::string_view text, int& value) { return parse_whole(text, value); }
std::string parse_value(std::string_view text, int64_t& value) { return parse_whole(text, value); }
std::string parse_value(std::string_view text, uint64_t& value) { return parse_whole(text, value); }
std::string parse_value(std::string_view text, float& value) { return parse_real(text, value); }
std::string parse_value(std::string_view text, double& value) { return parse_real(text, value); }

std::string parse_value(std::string_view text, std::string& value) {
  if (!is_plain_utf8(text)) return "is not UTF-8 text";
  value = text;
  return "";
}

std::string parse_value(std::string_view text, std::vector<double>& value) {
  return parse_list(text, value);
}
std::string parse_value(std::string_view text, std::vector<std::string>& value) {
  return parse_list(text, value);
}

std::string format_value(bool value) { return value ? "true" : "false"; }
std::string format_value(int value) { return fmt::format("{}", value); }
std::string format_value(int64_t value) { return fmt::format("{}", value); }
std::string format_value(uint64_t value) { return fmt::format("{}", value); }
std::string format_value(float value) { return fmt::format("{}", value); }  // shortest exact text
std::string format_value(double value) { return fmt::format("{}", value); }
std::string format_value(const std::string& value) { return value; }
std::string format_value(const std::vector<double>& value) {
  std::vector<std::string> parts;
  parts.reserve(value.size());
  for (const double number : value) parts.push_back(format_value(number));
  return join(parts, ",");
}
std::string format_value(const std::vector<std::string>& value) { return join(value, ","); }

std::string broken_limit(const Limits& limits, const std::string& value) {
  if (limits.choices.empty()) return "";
  if (std::ranges::find(limits.choices, value) != limits.choices.end()) return "";
  const std::string near = nearest(value, limits.choices);
  return fmt::format("is not {}{}", limits.text, near.empty() ? "" : "; nearest: " + near);
}

std::string broken_limit(const Limits& limits, const std::vector<double>& value) {
  return first_broken(limits, value);
}
std::string broken_limit(const Limits& limits, const std::vector<std::string>& value) {
  return first_broken(limits, value);
}

bool is_plain_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.bytes == 0 || point.value == 0) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

std::string small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace convoy
