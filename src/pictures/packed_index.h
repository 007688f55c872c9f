// The index of a packed JPEG file (docs/formats/packed_jpeg.md). Its picture is a grid of
// stretches: each is a few blocks of one row and can be decoded without the ones before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

// `rows` rows of `per_row` stretches, each of `interval` blocks.
struct StretchGrid {
  int64_t width = 0, height = 0;  // pixels
  int64_t block_width = 0, block_height = 0;
  int64_t interval = 0, per_row = 0, rows = 0;

  int64_t stretch_width() const { return interval * block_width; }
  int64_t count() const { return per_row * rows; }
};

struct PackedIndex {
  StretchGrid grid;
  std::string_view lengths;  // three bytes per stretch, without the marker behind it
  size_t pixels = 0;         // offset of the first stretch

  size_t length(int64_t stretch) const;
};

// Nothing if there is no index or it does not match the file.
std::optional<PackedIndex> read_packed_index(std::string_view bytes);

// Adds an index to a file of one scan with restart markers, as libjpeg writes it.
std::string with_packed_index(std::string_view plain, int64_t interval);

// The number of blocks per stretch that suits rows of `blocks` blocks.
int64_t packed_interval(int64_t blocks, int64_t rows);

struct JpegSegment {
  uint8_t marker;
  std::string_view whole;  // with the marker
  std::string_view data;   // without marker and length

  bool is_frame() const { return marker == 0xc0 || marker == 0xc1; }
};

// Calls body(segment) for all segments before the pixels. Returns the offset of the pixels, or 0 if
// the file is malformed.
template <class Body>
size_t each_segment(std::string_view bytes, const Body& body) {
  constexpr uint8_t scan = 0xda;
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(bytes[at]); };
  size_t at = 2;
  while (at + 4 <= bytes.size() && byte(at) == 0xff) {
    const uint8_t marker = byte(at + 1);
    const size_t size = size_t{byte(at + 2)} << 8 | byte(at + 3);
    if (size < 2 || at + 2 + size > bytes.size()) return 0;
    body(JpegSegment{marker, bytes.substr(at, size + 2), bytes.substr(at + 4, size - 2)});
    at += 2 + size;
    if (marker == scan) return at;
  }
  return 0;
}

}  // namespace convoy
