// The only way to print. Names, paths, metadata and messages come from files of others and may
// contain escape sequences, line ends that imitate our output, or characters that change the
// direction of writing. Every text argument of a format is escaped here; the format itself is ours
// and is not.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace convoy {

// The text on one line: `\n` and `\t` are escaped; other control characters and bytes that are not
// UTF-8 become `\x1b`; characters that are invisible or change the direction become `\u{202e}`. All
// other characters stay, also the backslash, so that escaping twice changes nothing.
std::string one_line(std::string_view text);

// The same, but line ends and tabs stay: for a text of several lines whose outside parts are
// already escaped by `one_line`.
std::string plain_text(std::string_view text);

// Escapes these characters as JSON's `\u202e`; in valid JSON they can only be inside strings.
std::string plain_json(std::string_view json);

namespace show_detail {

template <class T>
constexpr bool is_text = std::is_convertible_v<const std::remove_reference_t<T>&, std::string_view>;

template <class T>
using Shown = std::conditional_t<is_text<T>, std::string, const std::remove_reference_t<T>&>;

template <class T>
Shown<T> escaped(const T& value) {
  if constexpr (is_text<T>) {
    return one_line(value);
  } else {
    return value;
  }
}

}  // namespace show_detail

template <class... Args>
using ShowFormat = fmt::format_string<show_detail::Shown<Args>...>;

// fmt::format, with every text argument escaped by `one_line`.
template <class... Args>
std::string shown(ShowFormat<Args...> format, const Args&... args) {
  return fmt::vformat(format, fmt::make_format_args(show_detail::escaped<Args>(args)...));
}

// Prints to a stream, or to the standard output. A failure is a std::system_error.
template <class... Args>
void show(std::FILE* stream, ShowFormat<Args...> format, const Args&... args) {
  fmt::vprint(stream, format, fmt::make_format_args(show_detail::escaped<Args>(args)...));
}
template <class... Args>
void show(ShowFormat<Args...> format, const Args&... args) {
  show(stdout, format, args...);
}

// Prints a text of several lines that was made with `shown`.
void show_text(std::string_view text, std::FILE* stream = stdout);

}  // namespace convoy
