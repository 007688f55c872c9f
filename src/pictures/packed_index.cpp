#include "pictures/packed_index.h"

#include <algorithm>

#include "base/error.h"
#include "base/files/file.h"

namespace convoy {
namespace {

constexpr std::string_view signature("ConvoyPack\0\1", 12);  // the last byte is the version
constexpr uint8_t index_marker = 0xef, restart_interval_marker = 0xdd;
constexpr size_t hash_bytes_count = 8, head = 6;  // interval, stretches per row, rows
constexpr size_t most_in_marker = 65533;

uint8_t byte_at(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }
uint64_t number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}
int64_t signed_number(std::string_view bytes, size_t at, size_t size) {
  return static_cast<int64_t>(number(bytes, at, size));
}
void append(std::string& to, uint64_t value, int size) {
  for (int i = size - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> (8 * i)));
}

void read_frame(std::string_view data, StretchGrid& grid) {
  if (data.size() < 6) return;
  grid.height = signed_number(data, 1, 2);
  grid.width = signed_number(data, 3, 2);
  const size_t components = byte_at(data, 5);
  if (data.size() < 6 + 3 * components) return;
  int64_t h = 1, v = 1;
  for (size_t c = 0; components > 1 && c < components; ++c) {
    const uint8_t sampling = byte_at(data, 7 + 3 * c);
    h = std::max<int64_t>(h, sampling >> 4);
    v = std::max<int64_t>(v, sampling & 15);
  }
  grid.block_width = 8 * h;
  grid.block_height = 8 * v;
}

bool fits(const PackedIndex& index, int64_t restart) {
  const StretchGrid& grid = index.grid;
  return index.pixels && grid.block_width && grid.interval && grid.width && grid.height &&
         restart == grid.interval && grid.per_row * grid.stretch_width() >= grid.width &&
         (grid.per_row * grid.interval - 1) * grid.block_width < grid.width &&
         grid.rows * grid.block_height >= grid.height &&
         (grid.rows - 1) * grid.block_height < grid.height &&
         index.lengths.size() == static_cast<size_t>(grid.count()) * 3;
}

}  // namespace

size_t PackedIndex::length(int64_t stretch) const {
  return number(lengths, static_cast<size_t>(stretch) * 3, 3);
}

std::optional<PackedIndex> read_packed_index(std::string_view bytes) {
  // Our marker is the first, so that other files are recognised at once.
  if (bytes.size() < 6 + signature.size() || byte_at(bytes, 3) != index_marker ||
      bytes.substr(6, signature.size()) != signature) {
    return std::nullopt;
  }
  PackedIndex index;
  StretchGrid& grid = index.grid;
  int64_t restart = 0;
  index.pixels = each_segment(bytes, [&](const JpegSegment& segment) {
    if (segment.is_frame()) {
      read_frame(segment.data, grid);
    } else if (segment.marker == restart_interval_marker && segment.data.size() == 2) {
      restart = signed_number(segment.data, 0, 2);
    } else if (segment.marker == index_marker && segment.data.starts_with(signature) &&
               segment.data.size() >= signature.size() + hash_bytes_count + head) {
      const uint64_t hash = number(segment.data, signature.size(), hash_bytes_count);
      const std::string_view rest = segment.data.substr(signature.size() + hash_bytes_count);
      if (hash != hash_bytes(rest)) return;
      grid.interval = signed_number(rest, 0, 2);
      grid.per_row = signed_number(rest, 2, 2);
      grid.rows = signed_number(rest, 4, 2);
      index.lengths = rest.substr(head);
    }
  });
  if (!fits(index, restart)) return std::nullopt;
  return index;
}

std::string with_packed_index(std::string_view plain, int64_t interval) {
  StretchGrid grid;
  const size_t pixels = each_segment(plain, [&](const JpegSegment& segment) {
    if (segment.is_frame()) read_frame(segment.data, grid);
  });
  expect(pixels > 0 && grid.block_width > 0, "libjpeg wrote a file that cannot be read");
  grid.interval = interval;
  grid.per_row = (grid.width + grid.block_width - 1) / grid.block_width / interval;
  grid.rows = (grid.height + grid.block_height - 1) / grid.block_height;

  std::string index;
  append(index, static_cast<uint64_t>(grid.interval), 2);
  append(index, static_cast<uint64_t>(grid.per_row), 2);
  append(index, static_cast<uint64_t>(grid.rows), 2);
  int64_t stretches = 0;
  for (size_t at = pixels, begin = pixels; at + 1 < plain.size(); ++at) {
    if (byte_at(plain, at) != 0xff || byte_at(plain, at + 1) == 0) continue;
    expect(at - begin < 1u << 24, "a stretch of a packed picture has 16 MiB");
    append(index, at - begin, 3);
    ++stretches;
    begin = at + 2;
    ++at;
  }
  expect(stretches == grid.count(), "libjpeg wrote other restart markers than it was told");

  std::string packed(plain.substr(0, 2));
  append(packed, 0xff00u | index_marker, 2);
  append(packed, signature.size() + hash_bytes_count + index.size() + 2, 2);
  packed += signature;
  append(packed, hash_bytes(index), hash_bytes_count);
  packed += index;
  packed += plain.substr(2);
  return packed;
}

// With short stretches a crop can skip more; but each stretch costs some bytes.
int64_t packed_interval(int64_t blocks, int64_t rows) {
  constexpr size_t others = signature.size() + hash_bytes_count + head;
  for (const int64_t interval : {4, 3, 5, 2, 6, 7, 8, 1}) {
    const auto stretches = static_cast<size_t>(blocks / interval * rows);
    if (blocks % interval == 0 && stretches * 3 + others <= most_in_marker) return interval;
  }
  return blocks;
}

}  // namespace convoy
