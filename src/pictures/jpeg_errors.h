// Converts libjpeg's errors into ours. libjpeg reports an error through a function that must not
// return, so it leaves by longjmp: no object with a destructor may live between setjmp and a call
// into libjpeg.
#pragma once

#include <csetjmp>
#include <cstdio>
#include <string>
#include <vector>

// jpeglib.h needs the includes above.
#include <jpeglib.h>

namespace convoy {

struct JpegErrors : jpeg_error_mgr {
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
  bool cut_off = false;  // the file ends too early
  std::vector<std::string> remarks;

  JpegErrors();

  // Call it before each file: clears the messages about the previous one.
  void forget() {
    reset_error_mgr(nullptr);
    message[0] = 0;
    cut_off = false;
    remarks.clear();
    num_warnings = 0;
  }
};

// The error as one line for the user.
std::string complaint(const JpegErrors& errors, const std::string& origin);

// A damaged or hostile file may have thousands of passes over a large picture. This progress
// monitor of libjpeg stops them.
void watch_passes(j_common_ptr file);

}  // namespace convoy
