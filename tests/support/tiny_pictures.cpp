#include "support/tiny_pictures.h"

#include <zlib.h>

#include "pictures/picture.h"

namespace convoy::test {
namespace {

Pixels pixels_of(int number) {
  Pixels pixels{.region = {0, 0, 16 + number % 7, 12 + number % 5}, .bytes = {}};
  for (int64_t i = 0; i < pixels.region.width * pixels.region.height; ++i) {
    for (const int64_t step : {3, 5, 7})
      pixels.bytes.push_back(static_cast<uint8_t>(i * step + number * 11));
    pixels.bytes.push_back(0);
  }
  return pixels;
}

std::string big_endian(uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
  return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto crc =
      ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<uint32_t>(data.size())) + body +
         big_endian(static_cast<uint32_t>(crc));
}

}  // namespace

std::string tiny_jpeg(int number) { return encode_jpeg(pixels_of(number), 80); }

std::string tiny_png(int number) {
  const Pixels pixels = pixels_of(number);
  std::string rows;
  for (int64_t y = 0; y < pixels.region.height; ++y) {
    rows += '\0';  // no filter
    for (int64_t x = 0; x < pixels.region.width; ++x)
      rows.append(reinterpret_cast<const char*>(pixels.at(x, y)), 3);
  }
  uLongf bytes = ::compressBound(rows.size());
  std::string packed(bytes, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &bytes,
             reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  packed.resize(bytes);
  const std::string header = big_endian(static_cast<uint32_t>(pixels.region.width)) +
                             big_endian(static_cast<uint32_t>(pixels.region.height)) +
                             std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

}  // namespace convoy::test
