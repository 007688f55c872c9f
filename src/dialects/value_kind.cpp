#include "dialects/value_kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr std::array yes{"true", "t", "1", "yes", "y"};
constexpr std::array no{"false", "f", "0", "no", "n"};

bool is_one_of(std::span<const char* const> words, std::string_view text) {
  return std::ranges::any_of(words, [&](const char* word) { return small_letters(text) == word; });
}

// "int>=1": what it is, and the limit behind it.
struct Kind {
  std::string base, sign;
  double low = 0, high = 0;
  size_t elements = 0;
};

Kind parsed(std::string_view text) {
  Kind kind;
  const size_t end = text.find_first_of(">*:");
  kind.base = text.substr(0, end);
  if (end == text.npos) return kind;
  const std::string_view rest = text.substr(end);
  const auto number = [](std::string_view part) {
    double value = 0;
    parse_value(part, value);
    return value;
  };
  if (rest[0] == '*') {
    kind.elements = static_cast<size_t>(number(rest.substr(1)));
  } else if (rest[0] == ':') {
    const size_t dots = rest.find("..");
    kind.sign = ":";
    kind.low = number(rest.substr(1, dots - 1));
    kind.high = number(rest.substr(dots + 2));
  } else {
    kind.sign = rest.starts_with(">=") ? ">=" : ">";
    kind.low = number(rest.substr(kind.sign.size()));
  }
  return kind;
}

std::string told_limit(const Kind& kind) {
  if (kind.sign == ">=") return fmt::format("at least {}", kind.low);
  if (kind.sign == ">") return fmt::format("above {}", kind.low);
  if (kind.sign == ":") return fmt::format("between {} and {}", kind.low, kind.high);
  return "";
}

bool is_within(const Kind& kind, double value) {
  if (kind.sign == ">=") return value >= kind.low;
  if (kind.sign == ">") return value > kind.low;
  return kind.sign != ":" || (value >= kind.low && value <= kind.high);
}

std::vector<std::string> elements(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool is_mark = c == ',' || c == '[' || c == ']' || c == '\'' || c == '"';
    plain += is_mark ? ' ' : c;
  }
  return split_at_blanks(plain);
}

std::string number_problem(const Kind& kind, std::string_view text, bool whole) {
  double value = 0;
  int64_t count = 0;
  const std::string problem = whole ? parse_value(text, count) : parse_value(text, value);
  if (!problem.empty()) return problem;
  if (whole) value = static_cast<double>(count);
  return is_within(kind, value) ? "" : "is not " + told_limit(kind);
}

std::string list_problem(const Kind& kind, std::string_view text) {
  const std::vector<std::string> parts = elements(text);
  if (kind.elements && parts.size() != kind.elements) {
    return fmt::format("has {} elements, not {}", parts.size(), kind.elements);
  }
  if (kind.base == "words") return "";
  for (const std::string& part : parts) {
    const std::string problem = number_problem(kind, part, kind.base == "ints");
    if (!problem.empty()) return fmt::format("has an element \"{}\" that {}", part, problem);
  }
  return "";
}

bool is_choice(std::string_view kind) { return kind.find('|') != kind.npos; }

const std::string* choice_of(const std::vector<std::string>& choices, std::string_view text) {
  const auto found = std::ranges::find_if(choices, [&](const std::string& choice) {
    return small_letters(choice) == small_letters(text);
  });
  return found == choices.end() ? nullptr : &*found;
}

}  // namespace

bool takes_nothing(std::string_view kind) { return kind == "flag" || kind == "bool"; }

bool takes_words(std::string_view kind) {
  const std::string base = parsed(kind).base;
  return base == "ints" || base == "numbers" || base == "words";
}

std::string told_kind(std::string_view kind) {
  if (is_choice(kind)) return "one of " + join(split(kind, '|'), ", ");
  if (kind == "bool=" || kind == "bool") return "true or false";
  const Kind parts = parsed(kind);
  const std::string limit = told_limit(parts);
  return limit.empty() ? parts.base : parts.base + ", " + limit;
}

std::string value_problem(std::string_view kind, std::string_view text) {
  if (kind == "flag" || kind == "bool" || kind == "bool=") {
    const bool known = is_one_of(yes, text) || is_one_of(no, text);
    return known ? "" : "is not true or false";
  }
  if (kind == "truthy" || kind == "text" || kind == "path") return "";
  if (kind == "json") {
    return nlohmann::json::accept(text) ? "" : "is not JSON";
  }
  if (is_choice(kind)) {
    const std::vector<std::string> choices = split(kind, '|');
    return choice_of(choices, text) ? "" : "is not one of " + join(choices, ", ");
  }
  const Kind parts = parsed(kind);
  if (takes_words(kind)) return list_problem(parts, text);
  return number_problem(parts, text, parts.base == "int");
}

std::string canonical_value(std::string_view kind, std::string_view text) {
  if (kind == "flag" || kind == "bool" || kind == "bool=")
    return is_one_of(yes, text) ? "true" : "false";
  if (kind == "truthy") return text.empty() ? "false" : "true";
  if (takes_words(kind)) return join(elements(text), ",");
  if (!is_choice(kind)) return std::string(text);
  const std::vector<std::string> choices = split(kind, '|');
  const std::string* choice = choice_of(choices, text);
  return choice ? *choice : std::string(text);
}

}  // namespace convoy
