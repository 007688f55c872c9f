// COCO: pictures with objects, for detection. As published (an annotation file and a folder of
// pictures), as other programs export it (data/coco/coco_layout.h), or as TFRecords
// (data/coco/coco_records.h).
#include "base/error.h"
#include "data/boxed/box_format.h"
#include "data/boxed/boxed_dataset.h"
#include "data/coco/coco_records.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) {
  if (!has_coco_records(spec.data_dir, spec.train)) return open_boxed("coco", spec);
  if (spec.val_share > 0) {
    raise(Fault::usage,
          "--val-share is for folders of pictures, but {} has records; try: without it",
          spec.data_dir);
  }
  return boxed_dataset(open_coco_records(spec.data_dir, spec.train), spec.pictures);
}

bool is_in(const fs::path& folder) {
  return find_box_format("coco").is_in(folder) || has_coco_records(folder, true) ||
         has_coco_records(folder, false);
}

}  // namespace

DatasetDef coco_dataset() {
  DatasetDef def = boxed_def("coco");
  def.help =
      "pictures with boxes, for detection: annotations/instances_train2017.json, train2017 and the "
      "same of val2017 in --data-dir, the exports of CVAT, Roboflow and Label Studio, or TFRecords";
  def.open = open;
  def.is_in = is_in;
  def.published = {.train = 117266, .test = 5000, .classes = 81, .objects = true};
  return def;
}

}  // namespace convoy
