#include "config/yaml_scalar.h"

#include <array>
#include <charconv>

namespace convoy {
namespace {

YamlScalar problem(std::string why) { return {.problem = std::move(why)}; }

// The code point as UTF-8; empty if it is not allowed in a text.
std::string utf8(uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code == 0 || is_surrogate || code > 0x10ffff) return "";
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xc0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xe0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code >> 18), tail(12), tail(6), tail(0)};
}

struct Escape {
  char sign;
  char meaning;
};
constexpr std::array<Escape, 13> escapes{{{'n', '\n'},
                                          {'t', '\t'},
                                          {'\t', '\t'},
                                          {'r', '\r'},
                                          {'a', '\a'},
                                          {'b', '\b'},
                                          {'e', '\x1b'},
                                          {'f', '\f'},
                                          {'v', '\v'},
                                          {' ', ' '},
                                          {'"', '"'},
                                          {'/', '/'},
                                          {'\\', '\\'}}};

// The meaning and length of the escape after a backslash; length 0: unknown escape.
YamlScalar unescaped(std::string_view text) {
  if (text.empty()) return {};
  for (const Escape& escape : escapes) {
    if (text[0] == escape.sign) return {.text = {escape.meaning}, .length = 1};
  }
  const size_t digits = text[0] == 'x' ? 2 : text[0] == 'u' ? 4 : text[0] == 'U' ? 8 : 0;
  if (digits == 0 || text.size() < 1 + digits) return {};
  uint32_t code = 0;
  const char *begin = text.data() + 1, *end = begin + digits;
  const std::from_chars_result read = std::from_chars(begin, end, code, 16);
  if (read.ec != std::errc() || read.ptr != end) return {};
  std::string bytes = utf8(code);
  return {.text = bytes, .length = bytes.empty() ? 0 : 1 + digits};
}

YamlScalar double_quoted(std::string_view text) {
  YamlScalar found;
  for (size_t at = 1; at < text.size();) {
    if (text[at] == '"') {
      found.length = at + 1;
      return found;
    }
    if (text[at] != '\\') {
      found.text += text[at++];
      continue;
    }
    const YamlScalar escape = unescaped(text.substr(at + 1));
    if (escape.length == 0) return problem("not valid YAML: an unknown escape after \\");
    found.text += escape.text;
    at += 1 + escape.length;
  }
  return problem("not valid YAML: a quote is not closed");
}

YamlScalar single_quoted(std::string_view text) {
  YamlScalar found;
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '\'' && !text.substr(at + 1).starts_with('\'')) {
      found.length = at + 1;
      return found;
    }
    if (text[at] == '\'') ++at;  // two quotes stand for one
    found.text += text[at];
  }
  return problem("not valid YAML: a quote is not closed");
}

// Why a plain scalar may not begin like this; empty: it may.
std::string bad_begin(std::string_view text) {
  constexpr std::string_view signs = ",[]{}#|>@`%";
  const bool stands_alone = text.size() == 1 || is_yaml_blank(text[1]);
  if (text[0] == '&' || text[0] == '*') {
    return "not valid YAML here: anchors and aliases (& *); try: the value itself, or quotes";
  }
  if (text[0] == '!') return "has a tag; try: the value alone, or quotes";
  if (signs.find(text[0]) != signs.npos || (stands_alone && (text[0] == '-' || text[0] == '?'))) {
    return std::string("not valid YAML: a text that begins with ") + text[0] + "; try: quotes";
  }
  return "";
}

YamlScalar plain(std::string_view text, bool in_list) {
  if (std::string why = bad_begin(text); !why.empty()) return problem(std::move(why));
  constexpr std::string_view list_signs = ",[]{}";
  size_t end = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool before_blank = at + 1 == text.size() || is_yaml_blank(text[at + 1]);
    if (in_list && list_signs.find(c) != list_signs.npos) break;
    if (c == '#' && at > 0 && is_yaml_blank(text[at - 1])) break;
    if (c == ':' && before_blank) {
      return problem(in_list ? "has keys of its own, but options are flat; try: quotes"
                             : "not valid YAML: a second `: ` in the line; try: quotes");
    }
    if (!is_yaml_blank(c)) end = at + 1;
  }
  const std::string_view word = text.substr(0, end);
  const bool is_null = word == "~" || word == "null" || word == "Null" || word == "NULL";
  return {.text = std::string(word), .length = end, .is_null = is_null};
}

}  // namespace

YamlScalar read_yaml_scalar(std::string_view text, bool in_list) {
  if (text.empty()) return {.is_null = true};
  if (text[0] == '"') return double_quoted(text);
  if (text[0] == '\'') return single_quoted(text);
  return plain(text, in_list);
}

size_t yaml_blanks(std::string_view text) {
  const size_t end = text.find_first_not_of(" \t");
  return end == text.npos ? text.size() : end;
}

bool yaml_line_ends(std::string_view text, size_t at) {
  const size_t next = at + yaml_blanks(text.substr(at));
  return next == text.size() || (text[next] == '#' && (next > at || at == 0));
}

}  // namespace convoy
