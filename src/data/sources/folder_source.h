// Pictures in a folder for each class, as torchvision's ImageFolder reads them: classes in the
// order of their names, pictures likewise, also those in folders below.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy {

// The split's folder in `dir`: train, or val, validation, test (img_train, img_val too); none when
// there is no such folder. `held_out` "val": not test; "test": that first.
std::optional<fs::path> split_folder(const fs::path& dir, bool train,
                                     std::string_view held_out = "");

// Whether `dir` has a training split with folders of classes.
bool is_split(const fs::path& dir);

// Whether a file's name is that of a picture, by its ending.
bool names_picture(const fs::path& path);

// The pictures below `folder`. `classes` are the names of its class folders; empty: those that are
// there. A folder that is none of them, or one without pictures, is Fault::data.
std::unique_ptr<PictureSource> open_folder(const fs::path& folder,
                                           std::vector<std::string> classes = {});

// Either split below `dir`; the classes are those of the training split, where there is one.
std::unique_ptr<PictureSource> open_split(const fs::path& dir, bool train,
                                          std::string_view held_out = "");

// Either split of the folders of classes in `dir` itself: of each class about `val_share` is for
// evaluation (data/sources/val_share.h). A folder that is split already is Fault::usage.
std::unique_ptr<PictureSource> open_share(const fs::path& dir, bool train, double val_share);

// How many pictures are below a folder, counted no further than `enough`; what cannot be read
// counts as none.
int64_t count_pictures(const fs::path& folder, int64_t enough);

// Pictures without classes: label 0, in the given order.
std::unique_ptr<PictureSource> picture_files(std::vector<fs::path> paths);

// All pictures below a folder, by name.
std::vector<fs::path> pictures_below(const fs::path& folder);

}  // namespace convoy
