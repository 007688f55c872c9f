// The files of a dataset kept as a folder: which split and class each belongs to, by where it lies.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"

namespace convoy {

struct TreeFile {
  std::string path;   // below the folder, with '/'
  std::string split;  // "train", "val" …; empty where the folder has no splits
  std::string label;  // the class folder; empty for a file beside them
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
};

// Folders called train, val, validation or test are splits; the folders in a split, or in the
// folder itself where it has none, are classes, with all that is below. Links are followed, but not
// in circles. A folder that cannot be read is Fault::data.
Tree list_tree(const fs::path& root);

}  // namespace convoy
