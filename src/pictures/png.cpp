#include "pictures/png.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>

#include "base/error.h"
#include "pictures/exif.h"
#include "pictures/limits.h"

namespace convoy {
namespace {

// Errors leave by longjmp, as in libjpeg, so no object with a destructor lives in `read`.
struct Reader {
  std::string_view bytes;
  size_t at = 0;
  std::jmp_buf jump;
  char message[128] = "";
  png_structp file = nullptr;
  png_infop info = nullptr;
  PictureInfo about;
  std::vector<png_bytep> rows;
  std::vector<std::string> remarks;

  explicit Reader(std::string_view all) : bytes(all) {}
  ~Reader() { png_destroy_read_struct(&file, &info, nullptr); }
  Reader(const Reader&) = delete;

  static void fail(png_structp file, png_const_charp why) {
    auto& reader = *static_cast<Reader*>(png_get_error_ptr(file));
    std::snprintf(reader.message, sizeof reader.message, "%s", why);
    std::longjmp(reader.jump, 1);
  }
  static void warn(png_structp file, png_const_charp what) {
    constexpr size_t enough = 4;
    auto& reader = *static_cast<Reader*>(png_get_error_ptr(file));
    if (reader.remarks.size() < enough) reader.remarks.emplace_back(what);
  }
  static void feed(png_structp file, png_bytep to, size_t count) {
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(file));
    if (count > reader.bytes.size() - reader.at) png_error(file, "it is cut off");
    std::copy_n(reader.bytes.data() + reader.at, count, to);
    reader.at += count;
  }

  bool begin() {
    if (setjmp(jump)) return false;
    file = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, warn);
    if (file) info = png_create_info_struct(file);
    if (!info) return false;
    png_set_read_fn(file, this, feed);
    constexpr png_uint_32 most = 65535;
    png_set_user_limits(file, most, most);
    png_read_info(file, info);
    about.format = PictureFormat::png;
    about.width = png_get_image_width(file, info);
    about.height = png_get_image_height(file, info);
    about.components = png_get_channels(file, info);
    about.bits = png_get_bit_depth(file, info);
    about.palette = png_get_color_type(file, info) == PNG_COLOR_TYPE_PALETTE;
    about.progressive = png_get_interlace_type(file, info) != PNG_INTERLACE_NONE;
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(file, info, &size, &exif)) {
      about.orientation = exif_orientation({reinterpret_cast<const char*>(exif), size});
    }
    return true;
  }
  bool read(Pixels& pixels) {
    if (setjmp(jump)) return false;
    png_set_expand(file);
    png_set_scale_16(file);
    png_set_gray_to_rgb(file);
    png_set_filler(file, 0xff, PNG_FILLER_AFTER);
    png_set_interlace_handling(file);
    png_read_update_info(file, info);
    const size_t row = png_get_rowbytes(file, info);
    pixels.region = {0, 0, about.width, about.height};
    pixels.bytes.resize(row * static_cast<size_t>(about.height) + behind_pixels);
    rows.resize(static_cast<size_t>(about.height));
    for (size_t y = 0; y < rows.size(); ++y) rows[y] = pixels.bytes.data() + y * row;
    png_read_image(file, rows.data());
    png_read_end(file, nullptr);
    return true;
  }

  [[noreturn]] void refuse(const std::string& origin) const {
    raise(Fault::data, "{}: {}; try: a whole copy of the file", origin,
          message[0] ? static_cast<const char*>(message) : "no memory to read it");
  }
};

void open(Reader& reader, const std::string& origin) {
  if (!reader.begin()) reader.refuse(origin);
  check_picture_size(reader.about.width, reader.about.height, reader.bytes.size(), most_png_pixels,
                     origin);
}

// Errors leave by longjmp here too.
struct Writer {
  std::string bytes;
  std::jmp_buf jump;
  png_structp file = nullptr;
  png_infop info = nullptr;

  Writer() = default;
  ~Writer() { png_destroy_write_struct(&file, &info); }
  Writer(const Writer&) = delete;

  static void fail(png_structp file, png_const_charp) {
    std::longjmp(static_cast<Writer*>(png_get_error_ptr(file))->jump, 1);
  }
  static void take(png_structp file, png_bytep from, size_t count) {
    static_cast<Writer*>(png_get_io_ptr(file))
        ->bytes.append(reinterpret_cast<const char*>(from), count);
  }

  bool write(const Pixels& pixels, PngEffort effort) {
    if (setjmp(jump)) return false;
    file = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, nullptr);
    if (file) info = png_create_info_struct(file);
    if (!info) return false;
    png_set_write_fn(file, this, take, nullptr);
    png_set_IHDR(file, info, static_cast<png_uint_32>(pixels.region.width),
                 static_cast<png_uint_32>(pixels.region.height), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (effort == PngEffort::quick) {
      constexpr int quick_level = 3;
      png_set_compression_level(file, quick_level);
      png_set_filter(file, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    }
    png_write_info(file, info);
    png_set_filler(file, 0, PNG_FILLER_AFTER);
    for (int64_t y = 0; y < pixels.region.height; ++y) {
      png_write_row(file, pixels.at(pixels.region.x, pixels.region.y + y));
    }
    png_write_end(file, nullptr);
    return true;
  }
};

}  // namespace

bool looks_like_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"); }

PictureInfo inspect_png(std::string_view bytes, const std::string& origin) {
  Reader reader(bytes);
  open(reader, origin);
  return reader.about;
}

void decode_png(std::string_view bytes, const std::string& origin, Pixels& pixels,
                std::vector<std::string>& remarks) {
  Reader reader(bytes);
  open(reader, origin);
  if (!reader.read(pixels)) reader.refuse(origin);
  remarks = std::move(reader.remarks);
}

std::string encode_png(const Pixels& pixels, PngEffort effort) {
  expect(pixels.region.width > 0 && pixels.region.height > 0, "there is a picture to write");
  Writer writer;
  if (!writer.write(pixels, effort)) raise(Fault::no_space, "no memory to write a PNG file");
  return std::move(writer.bytes);
}

}  // namespace convoy
