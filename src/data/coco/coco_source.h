// COCO as published: an annotation file, and a folder of pictures beside it.
#pragma once

#include <memory>

#include "data/coco/coco_split.h"
#include "data/sources/picture_source.h"

namespace convoy {

// Training leaves out pictures without a usable object. Pictures that are listed but absent are
// Fault::data, with their number and the first of them.
std::unique_ptr<PictureSource> open_coco_pictures(const CocoFiles& files, bool train);

// The names of the categories, in their order; a category without a name gets its id.
std::vector<std::string> coco_class_names(const std::vector<CocoCategory>& categories);

// Adds the row of an object to PictureObjects::truth.
void add_truth(const CocoObject& object, PictureObjects& objects);

}  // namespace convoy
