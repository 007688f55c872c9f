// Exact decoding of regions. libjpeg can skip rows above, stop after the last row, and compute only
// some columns. Its colour upsampling reads neighbours, so a region is decoded with two more pixels
// on each side.
#include "pictures/jpeg.h"

#include <algorithm>

#include "base/error.h"
#include "pictures/exif.h"
#include "pictures/jpeg_entropy.h"
#include "pictures/jpeg_errors.h"
#include "pictures/jpeg_output.h"
#include "pictures/limits.h"

namespace convoy {
namespace {

constexpr int64_t neighbours = 2;

// Multiplies colour by black, as Pillow does. Adobe's programs store inverted values.
void cmyk_to_rgb(uint8_t* pixel, int64_t count, bool inverted) {
  for (int64_t i = 0; i < count; ++i, pixel += 4) {
    const int k = inverted ? pixel[3] : 255 - pixel[3];
    for (int c = 0; c < 3; ++c) {
      const int light = inverted ? pixel[c] : 255 - pixel[c];
      pixel[c] = static_cast<uint8_t>((light * k + 127) / 255);
    }
  }
}

}  // namespace

bool looks_like_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"); }

struct JpegDecoder::State {
  jpeg_decompress_struct file{};
  JpegErrors errors;
  jpeg_progress_mgr progress{};
  std::string_view bytes;
  std::string origin;
  PictureInfo info;
  JpegEntropy entropy;

  State() {
    file.err = &errors;
    jpeg_create_decompress(&file);
    progress.progress_monitor = watch_passes;
    file.progress = &progress;
    constexpr int app1 = JPEG_APP0 + 1;
    jpeg_save_markers(&file, app1, 0xffff);
  }
  ~State() { jpeg_destroy_decompress(&file); }

  // False: errors.message has the reason. setjmp is called in these two functions, so longjmp
  // returns into them.
  bool begin(std::string_view from) {
    if (setjmp(errors.jump)) return false;
    jpeg_abort_decompress(&file);
    jpeg_mem_src(&file, reinterpret_cast<const uint8_t*>(from.data()), from.size());
    jpeg_read_header(&file, TRUE);
    return true;
  }
  bool read(const PixelRect& region, DecodeSpeed speed, int shrink, Pixels& pixels) {
    if (setjmp(errors.jump)) return false;
    const bool exact = speed == DecodeSpeed::exact;
    file.out_color_space = info.cmyk ? JCS_CMYK : JCS_EXT_RGBX;
    file.dct_method = exact ? JDCT_ISLOW : JDCT_IFAST;
    file.do_fancy_upsampling = exact;
    // Would smooth blocks of an incomplete progressive file, but not in regions or packed files.
    file.do_block_smoothing = FALSE;
    file.scale_num = 1;
    file.scale_denom = static_cast<unsigned>(shrink);
    // libjpeg-turbo 2.1 keeps the previous picture's converter if upsampling and conversion are
    // merged, and then writes to it when lines are skipped.
    file.cconvert = nullptr;
    jpeg_start_decompress(&file);
    const auto left = static_cast<JDIMENSION>(std::max<int64_t>(0, region.x - neighbours));
    const auto right = static_cast<JDIMENSION>(
        std::min<int64_t>(file.output_width, region.x + region.width + neighbours));
    JDIMENSION x = left, width = right - left;
    if (width < file.output_width) jpeg_crop_scanline(&file, &x, &width);
    if (!entropy.gave_up()) {
      entropy.install(file, bytes, int64_t{x} * shrink, int64_t{width} * shrink);
    }
    if (region.y > 0) jpeg_skip_scanlines(&file, static_cast<JDIMENSION>(region.y));
    const size_t row = size_t{width} * 4;
    pixels.region = {x, region.y, width, region.height};
    pixels.bytes.resize(row * static_cast<size_t>(region.height) + behind_pixels);
    for (int64_t y = 0; y < region.height;) {
      JSAMPROW rows[16];
      const int64_t some = std::min<int64_t>(std::size(rows), region.height - y);
      for (int64_t i = 0; i < some; ++i)
        rows[i] = pixels.bytes.data() + row * static_cast<size_t>(y + i);
      y += jpeg_read_scanlines(&file, rows, static_cast<JDIMENSION>(some));
    }
    jpeg_abort_decompress(&file);
    return true;
  }

  [[noreturn]] void refuse() {
    jpeg_abort_decompress(&file);
    throw Error(Fault::data, complaint(errors, origin));
  }

  void look() {
    info = {.format = PictureFormat::jpeg,
            .width = file.image_width,
            .height = file.image_height,
            .components = file.num_components,
            .bits = file.data_precision,
            .progressive = file.progressive_mode != 0,
            .cmyk = file.jpeg_color_space == JCS_CMYK || file.jpeg_color_space == JCS_YCCK};
    constexpr std::string_view exif("Exif\0\0", 6);
    for (jpeg_saved_marker_ptr marker = file.marker_list; marker; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (data.starts_with(exif)) info.orientation = exif_orientation(data.substr(exif.size()));
    }
    check_picture_size(info.width, info.height, bytes.size(), most_jpeg_pixels(file.arith_code),
                       origin);
  }
};

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {}
JpegDecoder::~JpegDecoder() = default;

const std::vector<std::string>& JpegDecoder::remarks() const { return state_->errors.remarks; }

PictureInfo JpegDecoder::open(std::string_view bytes, const std::string& origin) {
  State& s = *state_;
  s.bytes = bytes;
  s.origin = origin;
  s.errors.forget();
  if (!s.begin(bytes)) s.refuse();
  s.look();
  return s.info;
}

void JpegDecoder::decode(const PixelRect& region, DecodeSpeed speed, int shrink, Pixels& pixels) {
  State& s = *state_;
  s.entropy.forget();
  bool done = s.read(region, speed, shrink, pixels);
  if (!done && s.entropy.gave_up())
    done = s.begin(s.bytes) && s.read(region, speed, shrink, pixels);
  if (!done) s.refuse();
  if (s.info.cmyk) {
    cmyk_to_rgb(pixels.bytes.data(), pixels.region.width * region.height,
                s.file.saw_Adobe_marker != 0);
  }
}

namespace {

// False: the errors of `output` have the reason. setjmp is called here, so longjmp returns here.
bool write(JpegOutput& output, JpegErrors& errors, const Pixels& pixels, int quality) {
  if (setjmp(errors.jump)) return false;
  jpeg_compress_struct& file = output.file;
  output.start();
  file.image_width = static_cast<JDIMENSION>(pixels.region.width);
  file.image_height = static_cast<JDIMENSION>(pixels.region.height);
  file.input_components = 4;
  file.in_color_space = JCS_EXT_RGBX;
  jpeg_set_defaults(&file);
  jpeg_set_quality(&file, quality, TRUE);
  for (int i = 0; i < file.num_components; ++i) {
    file.comp_info[i].h_samp_factor = file.comp_info[i].v_samp_factor = 1;
  }
  jpeg_start_compress(&file, TRUE);
  while (file.next_scanline < file.image_height) {
    auto* row =
        const_cast<JSAMPROW>(pixels.at(pixels.region.x, pixels.region.y + file.next_scanline));
    jpeg_write_scanlines(&file, &row, 1);
  }
  jpeg_finish_compress(&file);
  return true;
}

}  // namespace

std::string encode_jpeg(const Pixels& pixels, int quality) {
  JpegErrors errors;
  JpegOutput output(errors);
  if (!write(output, errors, pixels, quality)) {
    raise(Fault::data, "a picture of {}x{} cannot be written as JPEG: {}", pixels.region.width,
          pixels.region.height, static_cast<const char*>(errors.message));
  }
  return std::string(output.bytes());
}

}  // namespace convoy
