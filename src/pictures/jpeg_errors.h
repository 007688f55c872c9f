// How libjpeg's errors become ours. It reports them by a function that must not return, so they
// leave by longjmp: no object with a destructor may live between setjmp and a call into libjpeg.
#pragma once

#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

// jpeglib.h needs what stands above.
#include <jpeglib.h>

namespace convoy {

struct JpegErrors : jpeg_error_mgr {
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
  bool cut_off = false;  // the file ends too early
  std::vector<std::string> remarks;

  JpegErrors();

  // Before a file: what was said about the last one is forgotten.
  void forget() {
    reset_error_mgr(nullptr);
    message[0] = 0;
    cut_off = false;
    remarks.clear();
    num_warnings = 0;
  }
};

// One line for whoever brought the file.
std::string complaint(const JpegErrors& errors, const std::string& origin);

// A damaged or hostile file may have thousands of passes over a large picture: a monitor of
// libjpeg's progress that ends those.
void watch_passes(j_common_ptr file);

}  // namespace convoy
