// Adds classes to pictures published without them: ImageNet's validation pictures are in one
// folder, and a list gives the class of each.
#pragma once

#include <optional>
#include <vector>

#include "app/prepare/raw_pictures.h"

namespace convoy {

// Gives each picture its class from the list, which has lines of one of these forms:
//   n01751748                                      the class of the next picture, by name, or
//   ILSVRC2012_val_00000001.JPEG n01751748         the picture and its class, or
//   ILSVRC2012_val_00000001,n01751748 111 108 …    as Kaggle has it, with a header.
// A list that does not fit the pictures, or has numbers for classes, is Fault::data.
void apply_labels(const fs::path& list, std::vector<RawPicture>& pictures);

// The list with one of the usual names in the folder, if any.
std::optional<fs::path> find_labels(const fs::path& folder);

}  // namespace convoy
