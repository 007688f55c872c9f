// Checks every file of a tree: reads, hashes and decodes it.
#pragma once

#include <functional>

#include "app/check/check_tree.h"
#include "pictures/picture.h"

namespace convoy {

struct CheckedFile {
  TreeFile file;
  int64_t bytes = 0;
  uint64_t hash = 0;        // XXH3-64 of the bytes
  uint64_t pixel_hash = 0;  // of the image size and colours
  bool is_picture = false;  // by content; if broken, by name
  std::string broken;       // the reason; empty: it is not
  bool has_end = true;      // JPEG's EOI or PNG's IEND
  int64_t behind_end = 0;   // bytes after that
  PictureInfo info;
  std::vector<std::string> remarks;  // of the decoder

  bool is_sound() const { return is_picture && broken.empty(); }
};

// Uses `threads` threads; the result does not depend on their number. `progress(done)` is never
// called by two threads at once.
std::vector<CheckedFile> check_files(const Tree& tree, int threads,
                                     const std::function<void(int64_t done)>& progress);

// Whether the file name's extension suits the format.
bool ending_fits(const std::string& path, PictureFormat format);

}  // namespace convoy
