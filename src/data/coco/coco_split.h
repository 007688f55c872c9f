// One split of COCO as its annotation file describes it: each picture with its objects. Objects of
// an impossible size are kept, but marked: training and record files leave them out, evaluation
// counts them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "boxes/box.h"
#include "boxes/coco_annotations.h"

namespace convoy {

struct CocoObject {
  double x, y, width, height, area;  // of CocoAnnotation
  int64_t category;                  // its id
  int32_t number;                    // of the class, from 1 in the order of the categories' ids
  bool crowd;
  bool is_usable;  // its size is positive, and it lies inside the picture
};

struct CocoPicture {
  int64_t id, width, height;
  std::string file;           // below the split's folder
  size_t begin = 0, end = 0;  // its objects
  int64_t usable = 0;         // of these
};

struct CocoSplit {
  std::vector<CocoPicture> pictures;     // in the order of the file
  std::vector<CocoObject> objects;       // picture after picture, in the order of the file
  std::vector<CocoCategory> categories;  // by id
  int64_t empty = 0, outside = 0;        // objects of no size; and those that go beyond the picture

  std::span<const CocoObject> objects_of(const CocoPicture& picture) const {
    return std::span(objects).subspan(picture.begin, picture.end - picture.begin);
  }
  // Pictures without a usable object.
  int64_t bare() const;
  // "12 boxes of no size, 3 boxes beyond their picture"; empty: there are none.
  std::string unusable() const;
};

// As fractions of the picture.
Box box_of(const CocoObject& object, const CocoPicture& picture);

// Besides what read_coco_annotations refuses, a picture without a size or a name, or with a name
// that leads out of its folder, is Fault::data.
CocoSplit read_coco_split(const fs::path& annotations);

// The annotation files of a split, sorted: annotations/instances_<name>.json (else those in
// raw-data/annotations) below `dir`, which need not exist. A name begins with train or val:
// train2017.
std::vector<fs::path> coco_annotation_files(const fs::path& dir, bool train);
// The only one; none, or several, are Fault::data.
fs::path the_annotation_file(const fs::path& dir, bool train);

// That file, and the folder of its pictures: <name> or images/<name>, beside the folder
// annotations. No such folder is Fault::data.
struct CocoFiles {
  fs::path annotations, pictures;
};
CocoFiles find_coco(const fs::path& dir, bool train);

// Whether one of these functions reads a folder of this name below `dir`.
bool is_coco_name(std::string_view name);

}  // namespace convoy
