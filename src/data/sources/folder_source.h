// Pictures in one folder per class, as torchvision's ImageFolder reads them: classes sorted by
// name, pictures too, also in subfolders.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// The folder of the split in `dir`: train, or val, validation, test (img_train, img_val too);
// nothing if there is none. `held_out` "val": never test; "test": test first.
std::optional<fs::path> split_folder(const fs::path& dir, bool train,
                                     std::string_view held_out = "");

// Whether `dir` has a training split with folders of classes.
bool is_split(const fs::path& dir);

// Whether the file's extension is a picture's.
bool names_picture(const fs::path& path);

// The pictures below `folder`. `classes`: the allowed class folders; empty: those that exist. An
// unknown class folder, or one without pictures, is Fault::data.
std::unique_ptr<PictureSource> open_folder(const fs::path& folder,
                                           std::vector<std::string> classes = {});

// Either split below `dir`; the classes are those of the training split if it exists.
std::unique_ptr<PictureSource> open_split(const fs::path& dir, bool train,
                                          std::string_view held_out = "");

// Splits the class folders in `dir`: about `val_share` of each class is for evaluation
// (data/sources/val_share.h). A folder that is split already is Fault::usage.
std::unique_ptr<PictureSource> open_share(const fs::path& dir, bool train, double val_share);

// The number of pictures below a folder, counted only up to `enough`; unreadable folders count as
// empty.
int64_t count_pictures(const fs::path& folder, int64_t enough);

// Pictures without classes: all have label 0; in the given order.
std::unique_ptr<PictureSource> picture_files(std::vector<fs::path> paths);

// All pictures below a folder, sorted by name.
std::vector<fs::path> pictures_below(const fs::path& folder);

}  // namespace convoy
