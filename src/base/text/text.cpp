#include "base/text/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace convoy {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    // The difference in length is a lower bound of the distance; names from files may be very long.
    const auto [shorter, longer] = std::minmax(word.size(), candidate.size());
    if (longer - shorter >= best_distance) continue;
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  if (!best.empty() || word.size() < 3) return best;
  // Not a typo of any candidate; perhaps the beginning of one.
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  const auto found = std::find_if(candidates.begin(), candidates.end(), begins);
  return found == candidates.end() ? "" : *found;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

// Only the last star is tried again, so the time is at most text length times pattern length.
std::vector<std::string> split_at_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(blanks); at < text.size();) {
    const size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::string in_shell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+%@";
  if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  size_t t = 0, p = 0, star = pattern.npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

int64_t parse_bytes(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::string_view units = "KMGT";
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const size_t power = units.find(static_cast<char>(std::toupper(unit[0])));
    const std::string_view rest = unit.substr(1);
    factor = power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")
                 ? -1
                 : std::pow(1024.0, static_cast<double>(power + 1));
  }
  if (error != std::errc{} || factor < 0 || !(number >= 0 && number * factor < 9e18)) {
    raise(Fault::usage, "'{}' is no amount of memory; try: 16G or 500M", text);
  }
  return static_cast<int64_t>(number * factor);
}

std::string human_bytes(double bytes) {
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = next;
  }
  return unit[0] == 'B' ? fmt::format("{} B", static_cast<long long>(bytes))
                        : fmt::format("{:.1f} {}", bytes, unit);
}

std::string human_seconds(double seconds) {
  const auto total = static_cast<long long>(std::llround(seconds));
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{}:{:02}", total / 60, total % 60);
}

std::string with_commas(long long number) {
  std::string digits = std::to_string(std::abs(number));
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return number < 0 ? "-" + digits : digits;
}

}  // namespace convoy
