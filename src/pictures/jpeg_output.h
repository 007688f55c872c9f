// A JPEG file written to memory. libjpeg replaces the buffer when it grows and reports the new one
// only at the end; after an error (a longjmp) our pointer is of freed memory. So the destructor
// asks libjpeg for its current buffer, in every state.
#pragma once

#include <cstdlib>
#include <string_view>

#include "pictures/jpeg_errors.h"

namespace convoy {

struct JpegOutput {
  jpeg_compress_struct file{};

  // Keeps a reference to `errors`.
  explicit JpegOutput(JpegErrors& errors) {
    file.err = &errors;
    jpeg_create_compress(&file);
  }
  ~JpegOutput() {
    tell();
    jpeg_destroy_compress(&file);
    std::free(data_);
  }
  JpegOutput(const JpegOutput&) = delete;
  JpegOutput& operator=(const JpegOutput&) = delete;

  // Call it before any of libjpeg's functions that write.
  void start() { jpeg_mem_dest(&file, &data_, &size_); }

  // The bytes written; valid as long as this object.
  std::string_view bytes() {
    tell();
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  // Makes libjpeg store its buffer and the number of bytes in the members below.
  void tell() {
    if (file.dest) file.dest->term_destination(&file);
  }

  unsigned char* data_ = nullptr;
  unsigned long size_ = 0;
};

}  // namespace convoy
