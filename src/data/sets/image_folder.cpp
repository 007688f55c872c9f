// Pictures in folders train and val with one folder per class, or only in class folders, of which
// --val-share uses a part for evaluation. Pictures come from cameras, so the EXIF orientation is
// applied.
#include "data/sources/folder_source.h"
#include "data/sources/picture_dataset.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) {
  return std::make_unique<PictureDataset>(
      spec.val_share > 0 ? open_share(spec.data_dir, spec.train, spec.val_share)
                         : open_split(spec.data_dir, spec.train, spec.held_out),
      spec.pictures);
}

}  // namespace

DatasetDef image_folder_dataset() {
  return {
      .name = "imagefolder",
      .help =
          "JPEG, PNG, BMP, TIFF and WebP files: --data-dir has folders train and val with a folder "
          "a class, or with --val-share the folders of the classes",
      .open = open,
      .mean = {0.485, 0.456, 0.406},
      .std = {0.229, 0.224, 0.225},
      .augment = {"flip"},
      .has_pictures = true,
      .upright = true,
      .may_be_whole = true,
      .is_in = is_split,
  };
}

}  // namespace convoy
