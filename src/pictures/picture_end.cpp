#include "pictures/picture_end.h"

#include <cstdint>

#include "pictures/png.h"

namespace convoy {
namespace {

uint32_t big_endian(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Goes from marker to marker. Segments are skipped by their length, since a preview inside one has
// its own end; in compressed pixels 0xff is followed by 0 or a restart.
std::optional<size_t> jpeg_end(std::string_view bytes) {
  constexpr size_t start = 2;  // behind SOI
  for (size_t at = start; (at = bytes.find('\xff', at)) != bytes.npos && at + 1 < bytes.size();) {
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    const bool is_restart = marker >= 0xd0 && marker <= 0xd7;
    if (marker == 0xff) {  // padding
      ++at;
    } else if (marker == 0 || marker == 0x01 || marker == 0xd8 || is_restart) {
      at += 2;
    } else if (marker == 0xd9) {
      return at + 2;
    } else {
      if (at + 4 > bytes.size()) return std::nullopt;
      at += 2 + big_endian(bytes, at + 2, 2);
    }
  }
  return std::nullopt;
}

std::optional<size_t> png_end(std::string_view bytes) {
  constexpr size_t signature = 8, around = 12;  // length, name and checksum of a chunk
  for (size_t at = signature; at + around <= bytes.size();) {
    const size_t length = big_endian(bytes, at, 4);
    if (length > bytes.size() - at - around) return std::nullopt;
    const bool is_last = bytes.substr(at + 4, 4) == "IEND";
    at += around + length;
    if (is_last) return at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<size_t> picture_end(std::string_view bytes) {
  return looks_like_png(bytes) ? png_end(bytes) : jpeg_end(bytes);
}

}  // namespace convoy
