// Pictures with boxes as a source: the files of a split (data/boxed/boxed_split.h), in the order of
// their names, so that a set is the same in every format.
#pragma once

#include <memory>

#include "data/boxed/boxed_split.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Training leaves out pictures without a usable object. Pictures that are listed but absent are
// Fault::data, with their number and the first of them.
std::unique_ptr<PictureSource> boxed_source(BoxedSplit split, bool train);

// Adds the row of an object to PictureObjects::truth.
void add_truth(const BoxedObject& object, PictureObjects& objects);

}  // namespace convoy
