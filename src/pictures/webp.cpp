#include "pictures/webp.h"

#include <webp/decode.h>

#include <cstring>

#include "base/error.h"
#include "pictures/exif.h"
#include "pictures/limits.h"

namespace convoy {
namespace {

constexpr size_t file_header = 12, chunk_header = 8;

const uint8_t* begin_of(std::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

[[noreturn]] void refuse(VP8StatusCode status, const std::string& origin) {
  const char* why = status == VP8_STATUS_NOT_ENOUGH_DATA       ? "it is cut off"
                    : status == VP8_STATUS_OUT_OF_MEMORY       ? "no memory to read it"
                    : status == VP8_STATUS_UNSUPPORTED_FEATURE ? "it is WebP of an unknown kind"
                                                               : "it is damaged";
  raise(Fault::data, "{}: {}; try: a whole copy of the file", origin, why);
}

// Goes through the chunks: four letters, a length and as many bytes, padded to an even number.
int orientation_of(std::string_view bytes) {
  for (size_t at = file_header; at + chunk_header <= bytes.size();) {
    uint32_t size = 0;
    std::memcpy(&size, bytes.data() + at + 4, sizeof size);
    const std::string_view kind = bytes.substr(at, 4);
    at += chunk_header;
    if (size > bytes.size() - at) return 1;
    if (kind == "EXIF") {
      constexpr std::string_view mark("Exif\0\0", 6);  // JPEG's prefix; some programs keep it
      std::string_view exif = bytes.substr(at, size);
      if (exif.starts_with(mark)) exif.remove_prefix(mark.size());
      return exif_orientation(exif);
    }
    at += size_t{size} + size % 2;
  }
  return 1;
}

}  // namespace

bool looks_like_webp(std::string_view bytes) {
  return bytes.size() >= file_header && bytes.starts_with("RIFF") &&
         bytes.substr(8).starts_with("WEBP");
}

PictureInfo inspect_webp(std::string_view bytes, const std::string& origin) {
  WebPBitstreamFeatures about;
  const VP8StatusCode status = WebPGetFeatures(begin_of(bytes), bytes.size(), &about);
  if (status != VP8_STATUS_OK) refuse(status, origin);
  if (about.has_animation) {
    raise(Fault::data,
          "{}: it is an animation, and only still pictures are read; try: one of its "
          "pictures, saved as PNG",
          origin);
  }
  constexpr int lossy = 1;  // 0: unknown, if the picture comes after other chunks
  if (about.format == lossy) {
    check_picture_size(about.width, about.height, bytes.size(), most_webp_pixels, origin);
  } else {
    check_picture_size(about.width, about.height, bytes.size() + lossless_webp_bytes,
                       most_webp_pixels, origin);
  }
  return {.format = PictureFormat::webp,
          .width = about.width,
          .height = about.height,
          .components = about.has_alpha ? 4 : 3,
          .orientation = orientation_of(bytes)};
}

void decode_webp(std::string_view bytes, const std::string& origin, Pixels& pixels,
                 std::vector<std::string>&) {
  const PictureInfo info = inspect_webp(bytes, origin);
  const auto row = static_cast<size_t>(info.width) * 4;
  const size_t size = row * static_cast<size_t>(info.height);
  pixels.region = {0, 0, info.width, info.height};
  pixels.bytes.resize(size + behind_pixels);
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) raise(Fault::bug, "libwebp is of another version");
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {pixels.bytes.data(), static_cast<int>(row), size};
  const VP8StatusCode status = WebPDecode(begin_of(bytes), bytes.size(), &config);
  WebPFreeDecBuffer(&config.output);
  if (status != VP8_STATUS_OK) refuse(status, origin);
}

}  // namespace convoy
