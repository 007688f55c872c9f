// Files into a tree of folders, one by one: copied, or packed. A file has its name only when it is
// complete, and one that is there and holds what it should is left alone: a run that was killed
// makes what is missing.
#pragma once

#include <string>
#include <vector>

#include "app/prepare/bad_pictures.h"
#include "app/prepare/raw_pictures.h"

namespace convoy {

struct FileToWrite {
  RawPicture from;
  std::string to;          // below the output
  bool is_picture = true;  // otherwise something else, to be copied as it is
};

struct TreeResult {
  int64_t files = 0, made = 0, left_out = 0;
  uint64_t bytes_before = 0, bytes = 0;
};

enum class TreeMode { copy, pack };

// Pictures whose header is broken are bad; packed are JPEGs, PNGs are copied. Every file is read
// again, those of earlier runs too, and its hash compared with that of what was to be written
// (content_hashes.h). A file that differs is Fault::data where everything was sound before
// (`was_finished`), and otherwise written again: the machine may have stopped in the middle of it.
TreeResult write_tree(const std::vector<FileToWrite>& files, const fs::path& output, TreeMode mode,
                      bool was_finished, ThreadPool& pool, BadPictures& bad);

// All files below a folder, with their places in it; hidden ones are left out. Fault::data when
// there is no picture, or a link leads in a circle.
std::vector<FileToWrite> files_to_write(const fs::path& folder);

}  // namespace convoy
