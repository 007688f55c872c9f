// COCO: pictures with objects, for detection. As published (an annotation file and a folder of
// pictures), or as TFRecords (data/coco/coco_records.h). Class 0 is the background.
#include "base/error.h"
#include "data/coco/coco_records.h"
#include "data/coco/coco_source.h"
#include "data/sources/picture_dataset.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) {
  PictureSpec pictures = spec.pictures;
  if (pictures.upright) {
    raise(Fault::usage,
          "exif-turn: COCO's boxes are about pictures as they are stored; try: "
          "without it");
  }
  if (pictures.label_offset != 0) {
    raise(Fault::usage, "label-offset: class 0 of COCO is the background already; try: without it");
  }
  pictures.label_offset = 1;
  std::unique_ptr<PictureSource> source =
      has_coco_records(spec.data_dir, spec.train)
          ? open_coco_records(spec.data_dir, spec.train)
          : open_coco_pictures(find_coco(spec.data_dir, spec.train), spec.train);
  return std::make_unique<PictureDataset>(std::move(source), pictures);
}

bool is_in(const fs::path& folder) {
  for (const bool train : {true, false}) {
    if (!coco_annotation_files(folder, train).empty() || has_coco_records(folder, train)) {
      return true;
    }
  }
  return false;
}

}  // namespace

DatasetDef coco_dataset() {
  return {
      .name = "coco",
      .help =
          "pictures with boxes, for detection: annotations/instances_train2017.json, train2017 "
          "and the same of val2017 in --data-dir, or TFRecords of them",
      .open = open,
      .mean = {0.485, 0.456, 0.406},
      .std = {0.229, 0.224, 0.225},
      .augment = {"flip"},
      .has_pictures = true,
      .crop = "ssd-crop",
      .eval_crop = "ssd-whole",
      .is_in = is_in,
      .published = {.train = 117266, .test = 5000, .classes = 81, .objects = true},
  };
}

}  // namespace convoy
