// A JPEG file being written to memory. libjpeg replaces the buffer when it grows and tells only at
// the end; after an error, which leaves by longjmp, the pointer that it was given is of freed
// memory. So the buffer is asked for when this ends, in whatever state the writing was left.
#pragma once

#include <cstdlib>
#include <string_view>

#include "pictures/jpeg_errors.h"

namespace convoy {

struct JpegOutput {
  jpeg_compress_struct file{};

  // `errors` is kept.
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

  // Before the first of libjpeg's functions that write.
  void start() { jpeg_mem_dest(&file, &data_, &size_); }

  // What has been written; until this object ends.
  std::string_view bytes() {
    tell();
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  // libjpeg stores its buffer and the number of bytes in the two below.
  void tell() {
    if (file.dest) file.dest->term_destination(&file);
  }

  unsigned char* data_ = nullptr;
  unsigned long size_ = 0;
};

}  // namespace convoy
