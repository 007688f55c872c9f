// Where the files of a set in COCO's format are: as published, and as programs for labelling export
// them.
//
//   annotations/instances_train2017.json   train2017/, images/train2017/ or images/   (COCO, CVAT)
//   train/_annotations.coco.json           the same folder                            (Roboflow)
//   annotations/instances_default.json     images/default/ or images/                 (CVAT: no
//   splits) result.json                            images/                           (Label Studio:
//   no splits)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/boxed/box_format.h"

namespace convoy {

// The annotation files of a split, sorted: in the folder annotations, else raw-data/annotations,
// else of another layout, below `dir`, which need not exist. Several: they have names like
// instances_train2014.json and instances_train2017.json.
std::vector<fs::path> coco_annotation_files(const fs::path& dir, SplitName split);
// The only one; none, or several, are Fault::data.
fs::path the_annotation_file(const fs::path& dir, SplitName split);

// That file, and the folder of its pictures. No such folder is Fault::data.
struct CocoFiles {
  fs::path annotations, pictures;
};
CocoFiles find_coco(const fs::path& dir, SplitName split);

// Whether one of these functions reads a folder of this name below `dir`.
bool is_coco_name(std::string_view name);

inline SplitName split_name(bool train) { return train ? SplitName::train : SplitName::val; }

}  // namespace convoy
