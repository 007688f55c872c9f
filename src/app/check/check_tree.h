// Lists the pictures of a dataset: files, with split and class from their folders, and records.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// A split stored in record files.
struct RecordSplit {
  std::unique_ptr<PictureSource> pictures;
  std::vector<std::string> class_names;
};

struct TreeFile {
  std::string path;   // below the folder, with '/'; for a record: its file and position
  std::string split;  // "train", "val" …; empty if the folder has no splits
  std::string label;  // the class folder; empty for files outside of one
  const RecordSplit* records = nullptr;  // for a record: picture `index` of these
  int64_t index = 0;
};

struct ClassFolder {
  std::string split, label;
  bool operator==(const ClassFolder&) const = default;
};

struct Tree {
  fs::path root;
  std::vector<TreeFile> files;       // sorted by path
  std::vector<ClassFolder> classes;  // sorted
  std::vector<std::string> splits;   // sorted; one empty name if there are none
  std::vector<std::string> circles;  // links to a folder that contains them; sorted
  std::vector<std::unique_ptr<RecordSplit>> records;
};

bool is_training_split(std::string_view name);

// Folders named train, val, validation, test, img_train or img_val are splits. The folders in a
// split (or in the root if it has no splits) are classes and include everything below. Links are
// followed, except into a folder that contains them; those are listed in `circles`. Hidden files
// (.name) are skipped, as in training. An unreadable folder is Fault::data.
Tree list_tree(const fs::path& root);

}  // namespace convoy
