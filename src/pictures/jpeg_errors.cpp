#include "pictures/jpeg_errors.h"

#include <fmt/core.h>
#include <jerror.h>

namespace convoy {
namespace {

JpegErrors& errors_of(j_common_ptr file) { return *static_cast<JpegErrors*>(file->err); }

[[noreturn]] void leave(j_common_ptr file) {
  file->err->format_message(file, errors_of(file).message);
  std::longjmp(errors_of(file).jump, 1);
}

// Warnings mean that pixels may be wrong. A file that ends early is an error for training; other
// warnings are remarks.
void warn(j_common_ptr file, int level) {
  if (level >= 0) return;
  JpegErrors& errors = errors_of(file);
  ++errors.num_warnings;
  if (errors.msg_code == JWRN_JPEG_EOF || errors.msg_code == JWRN_HIT_MARKER) {
    errors.cut_off = true;
    leave(file);
  }
  constexpr size_t enough = 4;
  if (errors.remarks.size() >= enough) return;
  char text[JMSG_LENGTH_MAX];
  errors.format_message(file, text);
  errors.remarks.emplace_back(text);
}

}  // namespace

void watch_passes(j_common_ptr file) {
  constexpr int most_passes = 500;
  if (reinterpret_cast<j_decompress_ptr>(file)->input_scan_number <= most_passes) return;
  std::snprintf(errors_of(file).message, JMSG_LENGTH_MAX, "it has more than %d passes",
                most_passes);
  std::longjmp(errors_of(file).jump, 1);
}

std::string complaint(const JpegErrors& errors, const std::string& origin) {
  return fmt::format("{}: {}; try: {}", origin, static_cast<const char*>(errors.message),
                     errors.cut_off ? "a whole copy of the file" : "to save it anew as JPEG");
}

JpegErrors::JpegErrors() {
  jpeg_std_error(this);
  error_exit = leave;
  emit_message = warn;
  output_message = [](j_common_ptr) {};
  // The default reset of jpeg_std_error uses its argument, which we pass as null.
  reset_error_mgr = [](j_common_ptr) {};
}

}  // namespace convoy
