// A rectangle of stretches, put one after another with their markers counted anew and the picture's
// size changed, is a JPEG file again.
#include <algorithm>

#include "pictures/jpeg_pack.h"
#include "pictures/packed_index.h"

namespace convoy {
namespace {

// libjpeg decodes fast only while no marker is among the next bytes, and thousands of bytes are
// left; it skips zeros in front of a marker.
constexpr size_t before_marker = 16, before_end = 4096;

constexpr uint8_t end_marker = 0xd9, restart_marker = 0xd0;

void append_marker(std::string& to, uint8_t marker) {
  to.push_back('\xff');
  to.push_back(static_cast<char>(marker));
}

// All before the pixels, for a picture of another size. What says nothing about pixels stays out.
void append_headers(std::string_view bytes, const PixelRect& part, std::string& cut) {
  each_segment(bytes, [&](const JpegSegment& segment) {
    constexpr uint8_t app0 = 0xe0, adobe = 0xee, app15 = 0xef;
    const bool about = segment.marker >= app0 && segment.marker <= app15;
    if (about && segment.marker != app0 && segment.marker != adobe) return;
    cut += segment.whole;
    if (!segment.is_frame()) return;
    // Behind marker, length and bits: height and width.
    const size_t at = cut.size() - segment.whole.size() + 5;
    for (size_t i = 0; i < 2; ++i) {
      cut[at + i] = static_cast<char>(part.height >> (8 * (1 - i)));
      cut[at + 2 + i] = static_cast<char>(part.width >> (8 * (1 - i)));
    }
  });
}

}  // namespace

std::optional<PixelRect> cut_packed(std::string_view bytes, const PixelRect& region,
                                    std::string& cut) {
  const std::optional<PackedIndex> index = read_packed_index(bytes);
  if (!index) return std::nullopt;
  const StretchGrid& grid = index->grid;
  const int64_t right = region.x + region.width, bottom = region.y + region.height;
  if (right > grid.width || bottom > grid.height) return std::nullopt;
  const int64_t first_row = region.y / grid.block_height;
  const int64_t last_row = (bottom - 1) / grid.block_height;
  const int64_t first = region.x / grid.stretch_width();
  const int64_t last = (right - 1) / grid.stretch_width();
  const bool is_whole = last_row - first_row + 1 == grid.rows && last - first + 1 == grid.per_row;
  if (is_whole) return std::nullopt;
  const int64_t x = first * grid.stretch_width(), y = first_row * grid.block_height;
  const PixelRect part{x, y, std::min((last + 1) * grid.stretch_width(), grid.width) - x,
                       std::min((last_row + 1) * grid.block_height, grid.height) - y};

  cut.assign("\xff\xd8", 2);
  append_headers(bytes, part, cut);
  size_t at = index->pixels;
  uint8_t restarts = 0;
  bool begun = false;
  for (int64_t i = 0; i <= last_row * grid.per_row + last; ++i) {
    const size_t length = index->length(i);
    if (at + length + 2 > bytes.size()) return std::nullopt;
    const int64_t row = i / grid.per_row, column = i % grid.per_row;
    if (row >= first_row && column >= first && column <= last) {
      const uint8_t behind =
          i + 1 == grid.count() ? end_marker : static_cast<uint8_t>(restart_marker + i % 8);
      if (bytes[at + length] != '\xff' || static_cast<uint8_t>(bytes[at + length + 1]) != behind) {
        return std::nullopt;
      }
      if (begun) {
        cut.append(before_marker, '\0');
        append_marker(cut, static_cast<uint8_t>(restart_marker + restarts++ % 8));
      }
      cut += bytes.substr(at, length);
      begun = true;
    }
    at += length + 2;
  }
  cut.append(before_end, '\0');
  append_marker(cut, end_marker);
  return part;
}

PixelRect grown(const PixelRect& region, int64_t by, const PictureInfo& picture) {
  const int64_t x = std::max<int64_t>(0, region.x - by), y = std::max<int64_t>(0, region.y - by);
  return {x, y, std::min(picture.width, region.x + region.width + by) - x,
          std::min(picture.height, region.y + region.height + by) - y};
}

}  // namespace convoy
