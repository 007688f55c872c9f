#include "data/boxed/boxed_dataset.h"

#include "base/error.h"
#include "data/boxed/box_format.h"
#include "data/boxed/boxed_source.h"
#include "data/sources/picture_dataset.h"

namespace convoy {

std::unique_ptr<Dataset> boxed_dataset(std::unique_ptr<PictureSource> source,
                                       const PictureSpec& pictures) {
  if (pictures.label_offset != 0) {
    raise(Fault::usage,
          "label-offset: class 0 of boxes is the background already; try: without it");
  }
  PictureSpec spec = pictures;
  spec.label_offset = 1;
  return std::make_unique<PictureDataset>(std::move(source), spec);
}

std::unique_ptr<Dataset> open_boxed(std::string_view format, const DatasetSpec& spec) {
  RaiseBoxFaults faults;
  BoxedSplit split =
      read_boxes(find_box_format(format), spec.data_dir,
                 {.train = spec.train, .held_out = spec.held_out, .val_share = spec.val_share},
                 {.faults = faults, .upright = spec.pictures.upright});
  return boxed_dataset(boxed_source(std::move(split), spec.train), spec.pictures);
}

DatasetDef boxed_def(std::string_view name) {
  return {.name = name,
          .mean = {0.485, 0.456, 0.406},
          .std = {0.229, 0.224, 0.225},
          .augment = {"flip"},
          .has_pictures = true,
          .upright = find_box_format(name).upright,
          .crop = "ssd-crop",
          .eval_crop = "ssd-whole",
          .may_be_whole = true,
          .published = {.objects = true}};
}

}  // namespace convoy
