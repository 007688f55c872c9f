// Any pictures, in folders train and val with a folder for each class.
#include "data/folder_source.h"
#include "data/picture_dataset.h"

namespace convoy {

DatasetDef image_folder_dataset() {
  return {
      .name = "imagefolder",
      .help = "JPEG and PNG files: --data-dir has folders train and val, with a folder a class",
      .open = [](const DatasetSpec& spec) -> std::unique_ptr<Dataset> {
        return std::make_unique<PictureDataset>(
            open_split(spec.data_dir, spec.train, spec.held_out), spec.pictures);
      },
      .mean = {0.485, 0.456, 0.406},
      .std = {0.229, 0.224, 0.225},
      .augment = {"flip"},
      .has_pictures = true,
  };
}

}  // namespace convoy
