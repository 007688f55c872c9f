// Precision by recall as pictures: one for each class that has objects, and one of the means over
// these classes.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "boxes/coco_annotations.h"
#include "boxes/coco_score.h"

namespace convoy {

// Makes the folder if it is missing and writes `precision-recall.png` and `class-ID-NAME.png`;
// returns how many files.
int64_t write_precision_plots(const fs::path& folder, const CocoScore& score,
                              const std::vector<CocoCategory>& categories);

// The part of a file's name that stands for a category: letters, digits, and dashes.
std::string file_word(const std::string& name);

}  // namespace convoy
