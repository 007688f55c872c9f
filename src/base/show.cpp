#include "base/show.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text/utf8.h"

namespace convoy {
namespace {

struct Range {
  uint32_t first, last;
};

// Control characters, and characters that have no width, break lines or change the direction.
constexpr std::array hidden{
    Range{0x00, 0x1f},       Range{0x7f, 0x9f},      Range{0xad, 0xad},     Range{0x34f, 0x34f},
    Range{0x61c, 0x61c},     Range{0x115f, 0x1160},  Range{0x17b4, 0x17b5}, Range{0x180b, 0x180f},
    Range{0x200b, 0x200f},   Range{0x2028, 0x202e},  Range{0x2060, 0x206f}, Range{0x3164, 0x3164},
    Range{0xfeff, 0xfeff},   Range{0xffa0, 0xffa0},  Range{0xfff0, 0xfffb}, Range{0x1bca0, 0x1bca3},
    Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe0fff}};

bool is_hidden(uint32_t point) {
  return std::ranges::any_of(
      hidden, [&](const Range& range) { return point >= range.first && point <= range.last; });
}

// The text, with every hidden or invalid character replaced by `escape(bytes, point)`.
template <class Escape>
std::string with_escapes(std::string_view text, const Escape& escape) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::string_view bytes = text.substr(0, std::max<size_t>(point.bytes, 1));
    if (point.bytes == 0 || is_hidden(point.value)) {
      escape(bytes, point, shown);
    } else {
      shown += bytes;
    }
    text.remove_prefix(bytes.size());
  }
  return shown;
}

void append_escape(std::string_view bytes, const CodePoint& point, std::string& shown) {
  auto out = std::back_inserter(shown);
  if (bytes == "\n") {
    shown += "\\n";
  } else if (bytes == "\t") {
    shown += "\\t";
  } else if (bytes.size() == 1) {
    fmt::format_to(out, "\\x{:02x}", static_cast<unsigned char>(bytes[0]));
  } else {
    fmt::format_to(out, "\\u{{{:x}}}", point.value);
  }
}

}  // namespace

std::string one_line(std::string_view text) { return with_escapes(text, append_escape); }

std::string plain_text(std::string_view text) {
  return with_escapes(text, [](std::string_view bytes, const CodePoint& point, std::string& shown) {
    if (bytes == "\n" || bytes == "\t") {
      shown += bytes;
    } else {
      append_escape(bytes, point, shown);
    }
  });
}

std::string plain_json(std::string_view json) {
  return with_escapes(json, [](std::string_view bytes, const CodePoint& point, std::string& shown) {
    auto out = std::back_inserter(shown);
    if (bytes == "\n") {
      shown += bytes;  // line ends stay
    } else if (point.bytes == 0) {
      shown += "\\ufffd";
    } else if (point.value < 0x10000) {
      fmt::format_to(out, "\\u{:04x}", point.value);
    } else {
      const uint32_t rest = point.value - 0x10000;
      fmt::format_to(out, "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10), 0xdc00 + (rest & 0x3ff));
    }
  });
}

void show_text(std::string_view text, std::FILE* stream) {
  fmt::print(stream, "{}", plain_text(text));
}

}  // namespace convoy
