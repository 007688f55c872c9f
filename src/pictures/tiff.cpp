// libtiff itself converts most formats to eight-bit colour. For grey of sixteen bits it would drop
// the lower byte, so that is read block by block here.
#include "pictures/tiff.h"

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "pictures/limits.h"

namespace convoy {
namespace {

constexpr int most_samples = 5;  // per pixel: CMYK and alpha

// The limit of one allocation of libtiff, or of one of our blocks: more than any coding expands to.
tmsize_t most_block_bytes(size_t file_bytes) {
  constexpr tmsize_t most_per_byte = 2048, headers = 1 << 20;
  return static_cast<tmsize_t>(file_bytes) * most_per_byte + headers;
}

// A file in memory, with the callbacks for libtiff and its messages.
struct Memory {
  std::string_view bytes;
  uint64_t at = 0;
  std::string message;  // the first one; it caused the others
  std::vector<std::string> remarks;

  static Memory& of(void* handle) { return *static_cast<Memory*>(handle); }

  static tmsize_t read(thandle_t handle, void* to, tmsize_t count) {
    Memory& file = of(handle);
    const uint64_t left = file.at < file.bytes.size() ? file.bytes.size() - file.at : 0;
    const auto taken =
        std::min<uint64_t>(left, static_cast<uint64_t>(std::max<tmsize_t>(count, 0)));
    if (taken > 0) std::memcpy(to, file.bytes.data() + file.at, taken);
    file.at += taken;
    return static_cast<tmsize_t>(taken);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int from) {
    Memory& file = of(handle);
    file.at = offset + (from == SEEK_CUR ? file.at : from == SEEK_END ? file.bytes.size() : 0);
    return file.at;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }

  // The message on one line, without control characters.
  static std::string text(const char* format, va_list arguments) {
    std::array<char, 160> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    std::string said = line.data();
    for (char& c : said) c = c < ' ' || c > '~' ? ' ' : c;
    while (said.ends_with('.')) said.pop_back();
    return said;
  }
  static int fail(TIFF*, void* handle, const char*, const char* format, va_list arguments) {
    Memory& file = of(handle);
    if (file.message.empty()) file.message = text(format, arguments);
    return 1;
  }
  static int warn(TIFF*, void* handle, const char*, const char* format, va_list arguments) {
    constexpr size_t enough = 4;
    Memory& file = of(handle);
    if (file.remarks.size() < enough) file.remarks.push_back(text(format, arguments));
    return 1;
  }
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& origin) : origin_(origin) {
    file_.bytes = bytes;
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    if (!options) raise(Fault::no_space, "{}: no memory to read it", origin);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, most_block_bytes(bytes.size()));
    TIFFOpenOptionsSetErrorHandlerExtR(options, Memory::fail, &file_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, Memory::warn, &file_);
    tiff_ = TIFFClientOpenExt("picture", "rm", &file_, Memory::read, Memory::write, Memory::seek,
                              Memory::close, Memory::size, nullptr, nullptr, options);
    TIFFOpenOptionsFree(options);
    if (!tiff_) refuse();
  }
  ~Reader() {
    if (tiff_) TIFFClose(tiff_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  PictureInfo look() {
    width_ = value<uint32_t>(TIFFTAG_IMAGEWIDTH);
    height_ = value<uint32_t>(TIFFTAG_IMAGELENGTH);
    bits_ = value<uint16_t>(TIFFTAG_BITSPERSAMPLE);
    samples_ = value<uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
    colours_ = value<uint16_t>(TIFFTAG_PHOTOMETRIC);
    check_picture_size(width_, height_, file_.bytes.size(), most_tiff_pixels, origin_);
    refuse_unknown();
    const int orientation = value<uint16_t>(TIFFTAG_ORIENTATION);
    return {.format = PictureFormat::tiff,
            .width = width_,
            .height = height_,
            .components = samples_,
            .bits = bits_,
            .cmyk = colours_ == PHOTOMETRIC_SEPARATED,
            .palette = colours_ == PHOTOMETRIC_PALETTE,
            .orientation = orientation >= 1 && orientation <= 8 ? orientation : 1};
  }

  void read(Pixels& pixels) {
    pixels.region = {0, 0, width_, height_};
    pixels.bytes.resize(size_t{width_} * height_ * 4 + behind_pixels);
    const bool is_grey = colours_ == PHOTOMETRIC_MINISBLACK || colours_ == PHOTOMETRIC_MINISWHITE;
    if (is_grey && bits_ == 16) {
      read_grey(pixels.bytes.data());
    } else {
      read_colours(pixels.bytes.data());
    }
    if (!TIFFLastDirectory(tiff_)) {
      file_.remarks.emplace_back("it has several pages, of which the first is used");
    }
  }

  std::vector<std::string>& remarks() { return file_.remarks; }

 private:
  template <class T>
  T value(uint32_t tag) {
    T found = 0;
    TIFFGetFieldDefaulted(tiff_, tag, &found);
    return found;
  }

  [[noreturn]] void refuse() const {
    raise(Fault::data, "{}: {}; try: a whole copy of the file", origin_,
          file_.message.empty() ? "it is no sound TIFF file" : file_.message);
  }

  void refuse_unknown() {
    constexpr std::array<uint16_t, 6> known{COMPRESSION_NONE,     COMPRESSION_LZW,
                                            COMPRESSION_JPEG,     COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_PACKBITS, COMPRESSION_DEFLATE};
    const auto coding = value<uint16_t>(TIFFTAG_COMPRESSION);
    if (std::ranges::find(known, coding) == known.end()) {
      raise(Fault::data,
            "{}: it is a TIFF file of the compression {}, which is not read; try: to save it with "
            "LZW, or without compression",
            origin_, coding);
    }
    const auto numbers = value<uint16_t>(TIFFTAG_SAMPLEFORMAT);
    const bool is_whole = numbers == SAMPLEFORMAT_UINT || numbers == SAMPLEFORMAT_VOID;
    if (!is_whole || samples_ < 1 || samples_ > most_samples) {
      raise(Fault::data,
            "{}: it is a TIFF file of {} {} numbers a pixel, which is not read; try: to save it "
            "with 8 or 16 bits of grey or colour",
            origin_, samples_, is_whole ? "whole" : "signed or broken");
    }
    std::array<char, 1024> why{};
    if (!TIFFRGBAImageOK(tiff_, why.data())) {
      raise(Fault::data, "{}: {}; try: to save it with 8 or 16 bits of grey or colour", origin_,
            why.data());
    }
    refuse_missing_parts();
  }

  // libtiff treats missing offsets as zero and would read wrong bytes.
  void refuse_missing_parts() const {
    const uint32_t parts =
        TIFFIsTiled(tiff_) ? TIFFNumberOfTiles(tiff_) : TIFFNumberOfStrips(tiff_);
    for (uint32_t i = 0; i < parts; ++i) {
      if (TIFFGetStrileByteCount(tiff_, i) > 0 && TIFFGetStrileOffset(tiff_, i) > 0) continue;
      raise(Fault::data, "{}: part {} of {} is not there; try: a whole copy of the file", origin_,
            i + 1, parts);
    }
  }

  // Asks libtiff for the stored order of rows and columns: nothing is turned.
  void read_colours(uint8_t* pixels) {
    uint16_t extra = 0, *kinds = nullptr;
    if (TIFFGetField(tiff_, TIFFTAG_EXTRASAMPLES, &extra, &kinds) && extra > 0) {
      // Otherwise libtiff would multiply colours by alpha.
      std::array<uint16_t, most_samples> plain;
      plain.fill(EXTRASAMPLE_ASSOCALPHA);
      TIFFSetField(tiff_, TIFFTAG_EXTRASAMPLES, std::min<int>(extra, most_samples), plain.data());
    }
    TIFFRGBAImage image;
    std::array<char, 1024> why{};
    if (!TIFFRGBAImageBegin(&image, tiff_, 1, why.data())) refuse();
    image.req_orientation = image.orientation;
    std::vector<uint32_t> raster(size_t{width_} * height_);
    const bool is_read = TIFFRGBAImageGet(&image, raster.data(), width_, height_) != 0;
    TIFFRGBAImageEnd(&image);
    if (!is_read || !file_.message.empty()) refuse();
    for (size_t i = 0; i < raster.size(); ++i) {
      const uint32_t pixel = raster[i];
      pixels[i * 4] = static_cast<uint8_t>(TIFFGetR(pixel));
      pixels[i * 4 + 1] = static_cast<uint8_t>(TIFFGetG(pixel));
      pixels[i * 4 + 2] = static_cast<uint8_t>(TIFFGetB(pixel));
      pixels[i * 4 + 3] = 0xff;
    }
  }

  // Reads tiles, or strips, which are treated as tiles as wide as the picture.
  void read_grey(uint8_t* pixels) {
    const bool is_tiled = TIFFIsTiled(tiff_) != 0;
    const uint32_t wide = is_tiled ? value<uint32_t>(TIFFTAG_TILEWIDTH) : width_;
    const uint32_t high = is_tiled ? value<uint32_t>(TIFFTAG_TILELENGTH)
                                   : std::min(value<uint32_t>(TIFFTAG_ROWSPERSTRIP), height_);
    const tmsize_t size = is_tiled ? TIFFTileSize(tiff_) : TIFFStripSize(tiff_);
    const bool is_apart = value<uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
    const size_t step = is_apart ? 1 : samples_;
    if (wide < 1 || high < 1 || size < 1 || size > most_block_bytes(file_.bytes.size())) refuse();
    std::vector<uint16_t> block(static_cast<size_t>(size) / 2 + 1);
    for (uint32_t y = 0; y < height_; y += high) {
      for (uint32_t x = 0; x < width_; x += wide) {
        const tmsize_t got =
            is_tiled
                ? TIFFReadEncodedTile(tiff_, TIFFComputeTile(tiff_, x, y, 0, 0), block.data(), size)
                : TIFFReadEncodedStrip(tiff_, TIFFComputeStrip(tiff_, y, 0), block.data(), size);
        const uint32_t rows = std::min(high, height_ - y), columns = std::min(wide, width_ - x);
        const size_t needed = ((size_t{rows} - 1) * wide + columns) * step * 2;
        if (got < 0 || static_cast<size_t>(got) < needed) refuse();
        for (uint32_t row = 0; row < rows; ++row) {
          const uint16_t* from = block.data() + size_t{row} * wide * step;
          uint8_t* to = pixels + (size_t{y + row} * width_ + x) * 4;
          for (uint32_t i = 0; i < columns; ++i, to += 4) put_grey(from[i * step], to);
        }
      }
    }
    if (!file_.message.empty()) refuse();
  }

  void put_grey(uint16_t stored, uint8_t* to) const {
    const unsigned value = colours_ == PHOTOMETRIC_MINISWHITE ? 65535u - stored : stored;
    std::memset(to, static_cast<int>((value + 128) / 257), 3);
    to[3] = 0xff;
  }

  const std::string& origin_;
  Memory file_;
  TIFF* tiff_ = nullptr;
  uint32_t width_ = 0, height_ = 0;
  uint16_t bits_ = 0, samples_ = 0, colours_ = 0;
};

}  // namespace

bool looks_like_tiff(std::string_view bytes) {
  for (const std::string_view begins :
       {std::string_view("II*\0", 4), std::string_view("MM\0*", 4), std::string_view("II+\0", 4),
        std::string_view("MM\0+", 4)}) {
    if (bytes.starts_with(begins)) return true;
  }
  return false;
}

PictureInfo inspect_tiff(std::string_view bytes, const std::string& origin) {
  return Reader(bytes, origin).look();
}

void decode_tiff(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>& remarks) {
  Reader reader(bytes, origin);
  reader.look();
  reader.read(pixels);
  remarks = std::move(reader.remarks());
}

}  // namespace convoy
