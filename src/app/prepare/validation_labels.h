// The classes of pictures that come without: ImageNet's validation set is one heap, and a list
// says what is on each picture.
#pragma once

#include <optional>
#include <vector>

#include "app/prepare/raw_pictures.h"

namespace convoy {

// Gives each picture the class that the list says. The list has, line by line,
//   n01751748                                      the class of the next picture, by name, or
//   ILSVRC2012_val_00000001.JPEG n01751748         the picture and its class, or
//   ILSVRC2012_val_00000001,n01751748 111 108 …    as Kaggle has it, with a header.
// A list that does not fit the pictures, or has numbers for classes, is Fault::data.
void apply_labels(const fs::path& list, std::vector<RawPicture>& pictures);

// A list under one of the usual names in the folder.
std::optional<fs::path> find_labels(const fs::path& folder);

}  // namespace convoy
