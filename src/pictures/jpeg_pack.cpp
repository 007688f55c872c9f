// Writes packed files: one interleaved baseline scan whose restart interval divides the blocks of a
// row, so that the stretches form a grid.
#include "pictures/jpeg_pack.h"

#include "base/error.h"
#include "pictures/jpeg_errors.h"
#include "pictures/jpeg_output.h"
#include "pictures/limits.h"
#include "pictures/packed_index.h"

namespace convoy {
namespace {

struct Transcoder {
  jpeg_decompress_struct in{};
  JpegErrors errors;
  jpeg_progress_mgr progress{};
  JpegOutput output{errors};
  jpeg_compress_struct& out = output.file;

  Transcoder() {
    in.err = &errors;
    jpeg_create_decompress(&in);
    progress.progress_monitor = watch_passes;
    in.progress = &progress;
  }
  ~Transcoder() { jpeg_destroy_decompress(&in); }
  Transcoder(const Transcoder&) = delete;

  // False: errors.message has the reason. setjmp is called in these two functions, so longjmp
  // returns into them.
  bool begin(std::string_view bytes) {
    if (setjmp(errors.jump)) return false;
    constexpr int first_kept = 1, last_kept = 13;
    jpeg_save_markers(&in, JPEG_COM, 0xffff);
    for (int i = first_kept; i <= last_kept; ++i) jpeg_save_markers(&in, JPEG_APP0 + i, 0xffff);
    jpeg_mem_src(&in, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    jpeg_read_header(&in, TRUE);
    return true;
  }
  bool rewrite() {
    if (setjmp(errors.jump)) return false;
    jvirt_barray_ptr* coefficients = jpeg_read_coefficients(&in);
    jpeg_copy_critical_parameters(&in, &out);
    out.optimize_coding = TRUE;
    // The Adobe marker means inverted colours: libjpeg would write one even if the source has none.
    if (in.num_components == 4) out.write_Adobe_marker = in.saw_Adobe_marker;
    const int64_t block = in.num_components == 1 ? 8 : 8 * in.max_h_samp_factor;
    const int64_t tall = in.num_components == 1 ? 8 : 8 * in.max_v_samp_factor;
    out.restart_interval = static_cast<unsigned>(
        packed_interval((in.image_width + block - 1) / block, (in.image_height + tall - 1) / tall));
    output.start();
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

bool is_packed(std::string_view bytes) { return read_packed_index(bytes).has_value(); }

std::string pack_jpeg(std::string_view bytes, const std::string& origin) {
  Transcoder transcoder;
  const auto refuse = [&] { throw Error(Fault::data, complaint(transcoder.errors, origin)); };
  if (!transcoder.begin(bytes)) refuse();
  check_picture_size(transcoder.in.image_width, transcoder.in.image_height, bytes.size(),
                     most_jpeg_pixels(transcoder.in.arith_code), origin);
  if (!transcoder.rewrite()) refuse();
  return with_packed_index(transcoder.output.bytes(), transcoder.out.restart_interval);
}

}  // namespace convoy
