// Where the files of a set in Pascal VOC's format are: as published, and as programs for labelling
// export them.
//
//   Annotations/, JPEGImages/, ImageSets/Main/train.txt, val.txt     (VOC, CVAT)
//   train/, valid/, test/, each with pictures and their annotations  (Roboflow)
//   Annotations/, images/                                            (Label Studio: no splits)
//   pictures and their annotations                                   (LabelImg: no splits)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/boxed/box_format.h"

namespace convoy {

struct VocPlace {
  fs::path annotations, pictures;  // folders
  fs::path list;                   // of the pictures of the split; empty: all that have annotations
};

// Nothing: the folder has no such split.
std::optional<VocPlace> find_voc(const fs::path& dir, SplitName split);

// The folders of annotations of all splits.
std::vector<fs::path> voc_annotation_folders(const fs::path& dir);

// The classes in the order of labelmap.txt, which CVAT and `prepare boxes` write
// (`name:color:parts:actions`); empty: there is no such file.
std::vector<std::string> voc_class_list(const fs::path& dir);

// Names of files below `folder` without their extensions, and the files; of annotations (.xml), or
// of pictures. Sorted by name.
struct VocFile {
  std::string name;  // without the extension
  std::string file;
};
std::vector<VocFile> voc_annotation_files(const fs::path& folder);
std::vector<VocFile> voc_picture_files(const fs::path& folder);

// The names in a list like ImageSets/Main/train.txt, in its order.
std::vector<std::string> read_voc_list(const fs::path& file);

}  // namespace convoy
