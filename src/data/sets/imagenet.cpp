// ImageNet, as TFRecords under any of the usual names (data/sources/record_source.h) or as folders
// of JPEGs.
#include "data/sources/folder_source.h"
#include "data/sources/picture_dataset.h"
#include "data/sources/record_source.h"

namespace convoy {
namespace {

std::unique_ptr<PictureSource> open(const DatasetSpec& spec) {
  if (has_records(spec.data_dir, spec.train)) return open_records(spec.data_dir, spec.train);
  return open_split(spec.data_dir, spec.train, spec.held_out);
}

}  // namespace

DatasetDef imagenet_dataset() {
  return {
      .name = "imagenet",
      .help =
          "TFRecords (train-00000-of-01024 … or mini_imagenet's names) or folders train and val of "
          "JPEGs in --data-dir",
      .open = [](const DatasetSpec& spec) -> std::unique_ptr<Dataset> {
        return std::make_unique<PictureDataset>(open(spec), spec.pictures);
      },
      .mean = {0.485, 0.456, 0.406},
      .std = {0.229, 0.224, 0.225},
      .augment = {"flip"},
      .has_pictures = true,
      .is_in =
          [](const fs::path& folder) {
            return has_records(folder, true) || has_records(folder, false) || is_split(folder);
          },
      .path_words = {"imagenet"},
      .published = {1281167, 50000, 1000},
  };
}

}  // namespace convoy
