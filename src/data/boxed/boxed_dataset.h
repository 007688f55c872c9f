// A folder of pictures with boxes as a dataset.
#pragma once

#include "data/dataset.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Pictures in one of the formats of data/boxed/formats. Class 0 is the background.
std::unique_ptr<Dataset> open_boxed(std::string_view format, const DatasetSpec& spec);

// The same of any source of pictures with objects.
std::unique_ptr<Dataset> boxed_dataset(std::unique_ptr<PictureSource> source,
                                       const PictureSpec& pictures);

// What all of these datasets have in common; to be completed.
DatasetDef boxed_def(std::string_view name);

}  // namespace convoy
