// Writes files into a tree of folders, copied or packed. A file gets its name only when it is
// complete, and an existing file with the right content is kept, so a repeated run makes what is
// missing.
#pragma once

#include <string>
#include <vector>

#include "app/prepare/bad_pictures.h"
#include "app/prepare/boxes/picture_form.h"
#include "app/prepare/raw_pictures.h"

namespace convoy {

struct FileToWrite {
  RawPicture from;
  std::string to;          // path below the output
  bool is_picture = true;  // false: another file, copied unchanged
  // Its content, if it comes from no file.
  std::shared_ptr<const std::string> text = nullptr;
  PictureForm form = PictureForm::as_is;
  bool is_link = false;  // a hard link to the file, instead of a copy
};

struct TreeResult {
  int64_t files = 0, made = 0, left_out = 0;
  uint64_t bytes_before = 0, bytes = 0;
};

enum class TreeMode { copy, pack };

// Pictures with a broken header are bad. Packing applies to JPEGs; PNGs are copied. Every file is
// read back, also those of earlier runs, and compared by hash with the content to be written
// (content_hashes.h). A file that differs is Fault::data if the earlier run was finished
// (`was_finished`); otherwise it is written again, since the machine may have stopped while writing
// it.
TreeResult write_tree(const std::vector<FileToWrite>& files, const fs::path& output, TreeMode mode,
                      bool was_finished, ThreadPool& pool, BadPictures& bad);

// All files below a folder with their relative paths, except hidden ones. Fault::data if there is
// no picture, or a link forms a cycle.
std::vector<FileToWrite> files_to_write(const fs::path& folder);

}  // namespace convoy
