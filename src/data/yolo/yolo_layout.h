// Where the files of a set in YOLO's format are: as ultralytics describes it, and as programs for
// labelling export it.
//
//   data.yaml            train/images, train/labels, ... or images/train, labels/train, ... or
//   lists
//                        (Roboflow, CVAT, ultralytics)
//   classes.txt          images/, labels/            (Label Studio: no splits)
//   obj.data, obj.names  train.txt, obj_train_data/  (CVAT's YOLO 1.1, Darknet)
//
// The labels of images/a.jpg are in labels/a.txt; those of a picture outside of a folder `images`
// lie beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/boxed/box_format.h"

namespace convoy {

struct YoloLayout {
  fs::path description;            // data.yaml, classes.txt or obj.data
  fs::path root;                   // to which paths are relative
  std::vector<std::string> names;  // of the classes
  bool key_points = false;
  // Of train, val, test and whole: folders of pictures and lists of them, as the description has
  // them.
  std::vector<std::string> places[4];

  const std::vector<std::string>& of(SplitName split) const {
    return places[static_cast<size_t>(split)];
  }
};

// Nothing: the folder has no description of such a set. One with faults is Fault::data.
std::optional<YoloLayout> find_yolo(const fs::path& dir);
// Whether there is a description, without reading all of it.
bool has_yolo(const fs::path& dir);

// A picture of a split.
struct YoloPicture {
  std::string name;  // below the split's folder, or below the root if it has several places
  fs::path path;
  fs::path labels;     // which need not exist
  std::string listed;  // empty, or where a list names the picture although it does not exist
};

struct YoloPictures {
  fs::path folder;                    // `path` of each is `folder` / name
  std::vector<YoloPicture> pictures;  // by name
};

// A place that does not exist, or has no pictures, is Fault::data.
YoloPictures find_yolo_pictures(const YoloLayout& layout, SplitName split);

}  // namespace convoy
