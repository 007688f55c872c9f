// A packed file has one interleaved baseline scan. Its restart interval divides the blocks of a
// row, so that stretches form a grid: a rectangle of them, put one after another with their markers
// counted anew and the picture's size changed, is a JPEG file again.
#include "pictures/jpeg_pack.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "pictures/jpeg_errors.h"

namespace convoy {
namespace {

constexpr std::string_view signature("ConvoyPack\0\1", 12);  // the last byte is the version
constexpr uint8_t index_marker = 0xef, scan_marker = 0xda, end_marker = 0xd9, restart_marker = 0xd0;
constexpr size_t most_in_marker = 65533;

uint8_t byte_at(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }
uint32_t number(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}
void append(std::string& to, uint64_t value, int size) {
  for (int i = size - 1; i >= 0; --i) to.push_back(static_cast<char>(value >> (8 * i)));
}

// The stretches of a picture: `per_row` of `interval` blocks each, in `rows` rows.
struct Grid {
  int64_t width = 0, height = 0;  // pixels
  int64_t block_width = 0, block_height = 0;
  int64_t interval = 0, per_row = 0, rows = 0;

  int64_t stretch_width() const { return interval * block_width; }
  int64_t count() const { return per_row * rows; }
};

struct Segment {
  uint8_t marker;
  std::string_view whole;  // with the marker
  std::string_view data;   // without marker and length
};

// Calls body(segment) for all before the pixels; gives where they begin, or 0 for no such file.
template <class Body>
size_t walk(std::string_view bytes, const Body& body) {
  size_t at = 2;
  while (at + 4 <= bytes.size() && byte_at(bytes, at) == 0xff) {
    const uint8_t marker = byte_at(bytes, at + 1);
    const size_t size = number(bytes, at + 2, 2);
    if (size < 2 || at + 2 + size > bytes.size()) return 0;
    body(Segment{marker, bytes.substr(at, size + 2), bytes.substr(at + 4, size - 2)});
    at += 2 + size;
    if (marker == scan_marker) return at;
  }
  return 0;
}

bool is_frame(uint8_t marker) { return marker == 0xc0 || marker == 0xc1; }

void read_frame(std::string_view data, Grid& grid) {
  if (data.size() < 6) return;
  grid.height = number(data, 1, 2);
  grid.width = number(data, 3, 2);
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

struct Packed {
  Grid grid;
  std::string_view lengths;  // three bytes for each stretch
  size_t pixels = 0;         // where the first stretch begins
  std::string_view frame;
};

std::optional<Packed> read_index(std::string_view bytes) {
  // Ours stands first, so that other files are told apart at once.
  if (bytes.size() < 6 + signature.size() || byte_at(bytes, 3) != index_marker ||
      bytes.substr(6, signature.size()) != signature) {
    return std::nullopt;
  }
  Packed packed;
  Grid& grid = packed.grid;
  int64_t restart = 0;
  packed.pixels = walk(bytes, [&](const Segment& segment) {
    if (is_frame(segment.marker)) {
      read_frame(segment.data, grid);
      packed.frame = segment.whole;
    } else if (segment.marker == 0xdd && segment.data.size() == 2) {
      restart = number(segment.data, 0, 2);
    } else if (segment.marker == index_marker && segment.data.starts_with(signature) &&
               segment.data.size() >= signature.size() + 6) {
      const size_t at = signature.size();
      grid.interval = number(segment.data, at, 2);
      grid.per_row = number(segment.data, at + 2, 2);
      grid.rows = number(segment.data, at + 4, 2);
      packed.lengths = segment.data.substr(at + 6);
    }
  });
  const bool fits = packed.pixels && grid.block_width && grid.interval && grid.width &&
                    grid.height && restart == grid.interval &&
                    grid.per_row * grid.stretch_width() >= grid.width &&
                    (grid.per_row * grid.interval - 1) * grid.block_width < grid.width &&
                    grid.rows * grid.block_height >= grid.height &&
                    (grid.rows - 1) * grid.block_height < grid.height &&
                    packed.lengths.size() == static_cast<size_t>(grid.count()) * 3;
  if (!fits) return std::nullopt;
  return packed;
}

// Short stretches let a crop leave out more; each costs some bytes.
int64_t choose_interval(int64_t blocks, int64_t rows) {
  const auto fits = [&](int64_t interval) {
    return static_cast<size_t>(blocks / interval * rows) * 3 + signature.size() + 6 <=
           most_in_marker;
  };
  for (const int64_t interval : {4, 3, 5, 2, 6, 7, 8, 1}) {
    if (blocks % interval == 0 && fits(interval)) return interval;
  }
  return blocks;
}

struct Transcoder {
  jpeg_decompress_struct in{};
  jpeg_compress_struct out{};
  JpegErrors errors;
  unsigned char* data = nullptr;
  unsigned long size = 0;

  Transcoder() {
    in.err = &errors;
    out.err = &errors;
    jpeg_create_decompress(&in);
    jpeg_create_compress(&out);
  }
  ~Transcoder() {
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    std::free(data);
  }
  Transcoder(const Transcoder&) = delete;

  bool run(std::string_view bytes) {
    if (setjmp(errors.jump)) return false;
    constexpr int first_kept = 1, last_kept = 13;
    jpeg_save_markers(&in, JPEG_COM, 0xffff);
    for (int i = first_kept; i <= last_kept; ++i) jpeg_save_markers(&in, JPEG_APP0 + i, 0xffff);
    jpeg_mem_src(&in, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    jpeg_read_header(&in, TRUE);
    jvirt_barray_ptr* coefficients = jpeg_read_coefficients(&in);
    jpeg_copy_critical_parameters(&in, &out);
    out.optimize_coding = TRUE;
    const int64_t block = in.num_components == 1 ? 8 : 8 * in.max_h_samp_factor;
    const int64_t tall = in.num_components == 1 ? 8 : 8 * in.max_v_samp_factor;
    out.restart_interval = static_cast<unsigned>(
        choose_interval((in.image_width + block - 1) / block, (in.image_height + tall - 1) / tall));
    jpeg_mem_dest(&out, &data, &size);
    jpeg_write_coefficients(&out, coefficients);
    for (jpeg_saved_marker_ptr m = in.marker_list; m; m = m->next) {
      jpeg_write_marker(&out, m->marker, m->data, m->data_length);
    }
    jpeg_finish_compress(&out);
    jpeg_finish_decompress(&in);
    return true;
  }
};

}  // namespace

bool is_packed(std::string_view bytes) { return read_index(bytes).has_value(); }

std::string pack_jpeg(std::string_view bytes, const std::string& origin) {
  Transcoder transcoder;
  if (!transcoder.run(bytes)) {
    throw Error(Fault::data, complaint(transcoder.errors, origin));
  }
  const std::string_view plain(reinterpret_cast<const char*>(transcoder.data), transcoder.size);
  Grid grid;
  const size_t pixels = walk(plain, [&](const Segment& segment) {
    if (is_frame(segment.marker)) read_frame(segment.data, grid);
  });
  expect(pixels > 0, "libjpeg wrote a file that cannot be read");
  const int64_t blocks = (grid.width + grid.block_width - 1) / grid.block_width;
  grid.interval = transcoder.out.restart_interval;
  grid.per_row = blocks / grid.interval;
  grid.rows = (grid.height + grid.block_height - 1) / grid.block_height;

  std::string index(signature);
  append(index, static_cast<uint64_t>(grid.interval), 2);
  append(index, static_cast<uint64_t>(grid.per_row), 2);
  append(index, static_cast<uint64_t>(grid.rows), 2);
  int64_t stretches = 0;
  for (size_t at = pixels, begin = pixels; at + 1 < plain.size(); ++at) {
    if (byte_at(plain, at) != 0xff || byte_at(plain, at + 1) == 0) continue;
    append(index, at - begin, 3);
    ++stretches;
    begin = at + 2;
    ++at;
  }
  expect(stretches == grid.count(), "libjpeg wrote other restart markers than it was told");

  std::string packed(plain.substr(0, 2));
  append(packed, 0xff00u | index_marker, 2);
  append(packed, index.size() + 2, 2);
  packed += index;
  packed += plain.substr(2);
  return packed;
}

std::optional<PixelRect> cut_packed(std::string_view bytes, const PixelRect& region,
                                    std::string& cut) {
  const std::optional<Packed> packed = read_index(bytes);
  if (!packed) return std::nullopt;
  const Grid& grid = packed->grid;
  const int64_t first_row = region.y / grid.block_height;
  const int64_t last_row = (region.y + region.height - 1) / grid.block_height;
  const int64_t first = region.x / grid.stretch_width();
  const int64_t last = (region.x + region.width - 1) / grid.stretch_width();
  if (last_row - first_row + 1 == grid.rows && last - first + 1 == grid.per_row)
    return std::nullopt;
  const PixelRect part{
      first * grid.stretch_width(), first_row * grid.block_height,
      std::min((last + 1) * grid.stretch_width(), grid.width) - first * grid.stretch_width(),
      std::min((last_row + 1) * grid.block_height, grid.height) - first_row * grid.block_height};

  cut.assign("\xff\xd8", 2);
  walk(bytes, [&](const Segment& segment) {
    constexpr uint8_t app0 = 0xe0, adobe = 0xee, app15 = 0xef;
    const bool about = segment.marker >= app0 && segment.marker <= app15;
    if (about && segment.marker != app0 && segment.marker != adobe) return;
    cut += segment.whole;
    if (!is_frame(segment.marker)) return;
    // Behind marker, length and bits: height and width.
    const size_t at = cut.size() - segment.whole.size() + 5;
    for (size_t i = 0; i < 2; ++i) {
      cut[at + i] = static_cast<char>(part.height >> (8 * (1 - i)));
      cut[at + 2 + i] = static_cast<char>(part.width >> (8 * (1 - i)));
    }
  });
  size_t at = packed->pixels;
  uint8_t restarts = 0;
  bool begun = false;
  for (int64_t i = 0; i <= last_row * grid.per_row + last; ++i) {
    const size_t length = number(packed->lengths, static_cast<size_t>(i) * 3, 3);
    if (at + length + 2 > bytes.size()) return std::nullopt;
    const int64_t row = i / grid.per_row, column = i % grid.per_row;
    if (row >= first_row && column >= first && column <= last) {
      if (byte_at(bytes, at + length) != 0xff) return std::nullopt;
      if (begun) append(cut, 0xff00u | (restart_marker + restarts++ % 8u), 2);
      cut += bytes.substr(at, length);
      begun = true;
    }
    at += length + 2;
  }
  append(cut, 0xff00u | end_marker, 2);
  return part;
}

PixelRect grown(const PixelRect& region, int64_t by, const PictureInfo& picture) {
  const int64_t x = std::max<int64_t>(0, region.x - by), y = std::max<int64_t>(0, region.y - by);
  return {x, y, std::min(picture.width, region.x + region.width + by) - x,
          std::min(picture.height, region.y + region.height + by) - y};
}

}  // namespace convoy
