// The pictures of a dataset: files, whose split and class their folders tell, and records.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// A split kept in record files.
struct RecordSplit {
  std::unique_ptr<PictureSource> pictures;
  std::vector<std::string> class_names;
};

struct TreeFile {
  std::string path;   // below the folder, with '/'; of a record, the file and where in it
  std::string split;  // "train", "val" …; empty where the folder has no splits
  std::string label;  // the class folder; empty for a file beside them
  const RecordSplit* records = nullptr;  // where it is a record: picture `index` of these
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
  std::vector<std::string> splits;   // sorted; one empty name where there are none
  std::vector<std::string> circles;  // links that lead back into a folder they lie in; sorted
  std::vector<std::unique_ptr<RecordSplit>> records;
};

bool is_training_split(std::string_view name);

// Folders called train, val, validation, test, img_train or img_val are splits; the folders in a
// split, or in the folder itself where it has none, are classes, with all that is below. Links are
// followed, but not in circles, which are listed; what is hidden (.name) is left out, as in
// training. A folder that cannot be read is Fault::data.
Tree list_tree(const fs::path& root);

}  // namespace convoy
