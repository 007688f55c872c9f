// Every file of a tree looked at: read, hashed, decoded.
#pragma once

#include <functional>

#include "app/check/check_tree.h"
#include "pictures/picture.h"

namespace convoy {

struct CheckedFile {
  TreeFile file;
  int64_t bytes = 0;
  uint64_t hash = 0;        // XXH3-64 of its bytes
  uint64_t pixel_hash = 0;  // of its size and colours
  bool is_picture = false;  // by its content or, where it is broken, by its name
  std::string broken;       // why
  bool has_end = true;      // JPEG's EOI or PNG's IEND
  int64_t behind_end = 0;   // bytes after that
  PictureInfo info;
  std::vector<std::string> remarks;  // the decoder's

  bool is_sound() const { return is_picture && broken.empty(); }
};

// As many threads as told; the result does not depend on it. `progress(done)` is called by one
// thread at a time.
std::vector<CheckedFile> check_files(const Tree& tree, int threads,
                                     const std::function<void(int64_t done)>& progress);

// Whether the name says the format that the file has.
bool ending_fits(const std::string& path, PictureFormat format);

}  // namespace convoy
