// The one way to the screen. Names, paths, metadata and messages come from files and folders of
// others, and could hold what a terminal obeys or what looks like lines of ours: escape sequences,
// ends of lines, letters that turn the direction of writing. Whatever is put into a format here is
// escaped, so that it can only be read. The format itself is ours and stays as it is.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace convoy {

// The text on one line: `\n`, `\t`; other control characters and bytes that are no UTF-8 as `\x1b`,
// characters that cannot be seen or change the direction as `\u{202e}`. Other characters stay, the
// backslash too, so that a text that was escaped before stays as it is.
std::string one_line(std::string_view text);

// The same, but ends of lines and tabs stay: for a text of several lines, in which each part that
// came from outside is already on one line.
std::string plain_text(std::string_view text);

// Such characters in JSON, where they can only stand inside of strings, as JSON's `\u202e`.
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

// fmt::format, with every text among the arguments on one line.
template <class... Args>
std::string shown(ShowFormat<Args...> format, const Args&... args) {
  return fmt::vformat(format, fmt::make_format_args(show_detail::escaped<Args>(args)...));
}

// The same to a stream, and to the standard output. A failure is a std::system_error.
template <class... Args>
void show(std::FILE* stream, ShowFormat<Args...> format, const Args&... args) {
  fmt::vprint(stream, format, fmt::make_format_args(show_detail::escaped<Args>(args)...));
}
template <class... Args>
void show(ShowFormat<Args...> format, const Args&... args) {
  show(stdout, format, args...);
}

// A text of several lines that was put together with `shown`.
void show_text(std::string_view text, std::FILE* stream = stdout);

}  // namespace convoy
