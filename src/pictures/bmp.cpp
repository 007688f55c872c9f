#include "pictures/bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "pictures/limits.h"

namespace convoy {
namespace {

constexpr size_t file_header = 14, core_header = 12, info_header = 40;
constexpr std::array<uint32_t, 7> known_headers{core_header, info_header, 52, 56, 64, 108, 124};

// Numbers are little-endian and not aligned.
template <class T>
T number(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// One colour of a pixel of 16 or 32 bits.
struct Channel {
  uint32_t mask = 0;

  uint8_t of(uint32_t pixel) const {
    if (mask == 0) return 0;
    const uint64_t value = (pixel & mask) >> std::countr_zero(mask);
    return static_cast<uint8_t>(value * 255 / (mask >> std::countr_zero(mask)));
  }
};

struct Header {
  int64_t width = 0, height = 0;
  bool top_down = false;
  int bits = 0;
  size_t pixels_at = 0, row_bytes = 0;
  std::array<Channel, 3> channels = {};  // red, green, blue; for 16 and 32 bits
  size_t palette_at = 0, colours = 0, colour_bytes = 4;
};

enum Compression : uint32_t { none = 0, rle8 = 1, rle4 = 2, masks = 3, alpha_masks = 6 };

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {
    need(file_header + 4, "its header");
    size_ = number<uint32_t>(bytes, file_header);
    if (std::ranges::find(known_headers, size_) == known_headers.end()) {
      raise(Fault::data, "{}: a BMP header of {} bytes is of no known kind", origin_, size_);
    }
    need(file_header + size_, "its header");
  }

  Header read() {
    Header header;
    header.pixels_at = number<uint32_t>(bytes_, 10);
    const bool is_core = size_ == core_header;
    header.width = is_core ? number<uint16_t>(bytes_, 18) : number<int32_t>(bytes_, 18);
    const int64_t rows = is_core ? number<uint16_t>(bytes_, 20) : number<int32_t>(bytes_, 22);
    header.top_down = rows < 0;
    header.height = rows < 0 ? -rows : rows;
    header.bits = number<uint16_t>(bytes_, is_core ? 24 : 28);
    compression_ = is_core ? Compression::none : number<uint32_t>(bytes_, 30);
    refuse_unknown(header);
    // A byte has at most eight pixels.
    check_picture_size(header.width, header.height, bytes_.size(), 8, origin_);
    header.row_bytes = static_cast<size_t>((header.width * header.bits + 31) / 32 * 4);
    size_t end = file_header + size_;
    if (header.bits == 16 || header.bits == 32) end = read_masks(header, end);
    if (header.bits <= 8) end = find_palette(header, end, is_core);
    if (header.pixels_at < end) {
      raise(Fault::data, "{}: its pixels begin inside its header; try: a whole copy of the file",
            origin_);
    }
    need(header.pixels_at + header.row_bytes * static_cast<size_t>(header.height), "its pixels");
    return header;
  }

 private:
  void need(size_t count, const char* what) const {
    if (count <= bytes_.size()) return;
    raise(Fault::data, "{}: {} of {} bytes are cut off at {}; try: a whole copy of the file",
          origin_, what, count, bytes_.size());
  }

  void refuse_unknown(const Header& header) const {
    if (compression_ == Compression::rle8 || compression_ == Compression::rle4) {
      raise(Fault::data,
            "{}: it is a BMP file in run-length coding, which is not read; try: to "
            "save it as PNG",
            origin_);
    }
    const bool is_masked =
        compression_ == Compression::masks || compression_ == Compression::alpha_masks;
    if (compression_ != Compression::none && !is_masked) {
      raise(Fault::data, "{}: it is a BMP file of the unknown coding {}; try: to save it as PNG",
            origin_, compression_);
    }
    constexpr std::array known{1, 4, 8, 16, 24, 32};
    const bool can_be_masked = header.bits == 16 || header.bits == 32;
    if (std::ranges::find(known, header.bits) == known.end() || (is_masked && !can_be_masked)) {
      raise(Fault::data,
            "{}: it is a BMP file of {} bits a pixel{}, which is not read; try: to "
            "save it as PNG",
            origin_, header.bits, is_masked ? " with masks" : "");
    }
  }

  // Returns the end of the headers.
  size_t read_masks(Header& header, size_t end) const {
    if (compression_ == Compression::none) {
      header.channels = header.bits == 16
                            ? std::array<Channel, 3>{{{0x7c00}, {0x03e0}, {0x001f}}}
                            : std::array<Channel, 3>{{{0xff0000}, {0x00ff00}, {0x0000ff}}};
      return end;
    }
    // After a header of 40 bytes or inside a longer one: the same offset.
    constexpr size_t at = file_header + info_header;
    if (size_ == info_header) end += compression_ == Compression::alpha_masks ? 16 : 12;
    need(at + 12, "its masks");
    need(end, "its masks");
    for (size_t i = 0; i < 3; ++i) {
      const auto mask = number<uint32_t>(bytes_, at + 4 * i);
      const uint32_t ones = mask ? mask >> std::countr_zero(mask) : 0;
      const bool is_whole = (ones & (ones + 1)) == 0;
      if (!is_whole || (header.bits == 16 && mask > 0xffff)) {
        raise(Fault::data, "{}: {:#x} is no mask for a colour of {} bits; try: to save it as PNG",
              origin_, mask, header.bits);
      }
      header.channels[i] = {mask};
    }
    return end;
  }

  size_t find_palette(Header& header, size_t at, bool is_core) const {
    const size_t most = size_t{1} << header.bits;
    const uint32_t told = is_core ? 0 : number<uint32_t>(bytes_, 46);
    if (told > most) {
      raise(Fault::data, "{}: a palette of {} colours for {} bits; try: a whole copy of the file",
            origin_, told, header.bits);
    }
    header.palette_at = at;
    header.colours = told ? told : most;
    header.colour_bytes = is_core ? 3 : 4;
    const size_t end = at + header.colours * header.colour_bytes;
    need(end, "its palette");
    return end;
  }

  std::string_view bytes_;
  const std::string& origin_;
  uint32_t size_ = 0;
  uint32_t compression_ = Compression::none;
};

// Decodes one row of blue, green and red bytes, of masked numbers, or of palette indices.
void decode_row(const Header& header, std::string_view bytes, std::string_view row, uint8_t* out,
                const std::string& origin) {
  const auto byte = [](std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); };
  for (size_t x = 0; x < static_cast<size_t>(header.width); ++x, out += 4) {
    out[3] = 0xff;
    if (header.bits == 24) {
      for (size_t c = 0; c < 3; ++c) out[c] = byte(row, x * 3 + 2 - c);
      continue;
    }
    if (header.bits > 8) {
      const uint32_t pixel =
          header.bits == 16 ? number<uint16_t>(row, x * 2) : number<uint32_t>(row, x * 4);
      for (size_t c = 0; c < 3; ++c) out[c] = header.channels[c].of(pixel);
      continue;
    }
    const auto bits = static_cast<size_t>(header.bits);
    const size_t shift = 8 - bits - x * bits % 8;
    const size_t colour = byte(row, x * bits / 8) >> shift & ((size_t{1} << bits) - 1);
    if (colour >= header.colours) {
      raise(Fault::data, "{}: a pixel has colour {}, the palette {}; try: a whole copy of the file",
            origin, colour, header.colours);
    }
    for (size_t c = 0; c < 3; ++c) {
      out[c] = byte(bytes, header.palette_at + colour * header.colour_bytes + 2 - c);
    }
  }
}

}  // namespace

bool looks_like_bmp(std::string_view bytes) {
  return bytes.size() >= file_header + 4 && bytes.starts_with("BM") &&
         std::ranges::find(known_headers, number<uint32_t>(bytes, file_header)) !=
             known_headers.end();
}

PictureInfo inspect_bmp(std::string_view bytes, const std::string& origin) {
  const Header header = HeaderReader(bytes, origin).read();
  const bool has_palette = header.bits <= 8;
  return {.format = PictureFormat::bmp,
          .width = header.width,
          .height = header.height,
          .components = has_palette ? 1 : 3,
          .bits = has_palette ? header.bits : 8,
          .palette = has_palette};
}

void decode_bmp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>&) {
  const Header header = HeaderReader(bytes, origin).read();
  const auto width = static_cast<size_t>(header.width), height = static_cast<size_t>(header.height);
  pixels.region = {0, 0, header.width, header.height};
  pixels.bytes.resize(width * height * 4 + behind_pixels);
  for (size_t y = 0; y < height; ++y) {
    const size_t stored = header.top_down ? y : height - 1 - y;
    const std::string_view row =
        bytes.substr(header.pixels_at + stored * header.row_bytes, header.row_bytes);
    decode_row(header, bytes, row, pixels.bytes.data() + y * width * 4, origin);
  }
}

}  // namespace convoy
