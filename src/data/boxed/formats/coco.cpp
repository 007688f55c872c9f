// COCO: an annotation file for each split, and its pictures (data/coco/coco_layout.h).
#include "data/boxed/box_format.h"
#include "data/coco/coco_layout.h"
#include "data/coco/coco_split.h"

namespace convoy {
namespace {

std::vector<SplitName> splits(const fs::path& dir) {
  std::vector<SplitName> found;
  for (const SplitName split : {SplitName::train, SplitName::val, SplitName::test}) {
    if (!coco_annotation_files(dir, split).empty()) found.push_back(split);
  }
  if (found.empty() && !coco_annotation_files(dir, SplitName::whole).empty()) {
    found.push_back(SplitName::whole);
  }
  return found;
}

// A file with faults is refused as a whole: what is wrong in it may be anywhere.
BoxedSplit read(const fs::path& dir, SplitName split, const BoxReading&) {
  const CocoFiles files = find_coco(dir, split);
  return read_coco_split(files.annotations, files.pictures);
}

bool is_in(const fs::path& dir) { return !splits(dir).empty(); }

}  // namespace

BoxFormat coco_box_format() {
  return {.name = "coco", .is_in = is_in, .splits = splits, .read = read};
}

}  // namespace convoy
