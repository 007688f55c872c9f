// The files of a set with boxes in each format. Pictures keep the order of their names, and
// coordinates are written with all their digits, so that a set is the same in every format.
#pragma once

#include "app/prepare/boxes/boxed_set.h"
#include "app/prepare/write_tree.h"

namespace convoy {

// annotations/instances_train.json, train/ ...: crowds stay crowds, areas those of segmentations.
std::vector<FileToWrite> coco_files(const BoxedSet& set, bool link);
// data.yaml, images/train/, labels/train/ ...: crowds become objects like others.
std::vector<FileToWrite> yolo_files(const BoxedSet& set, bool link);
// Annotations/, JPEGImages/, ImageSets/Main/train.txt ..., labelmap.txt: crowds become difficult.
std::vector<FileToWrite> voc_files(const BoxedSet& set, bool link);

// The picture `i` of a split, written to `to`.
FileToWrite picture_file(const SplitToWrite& split, size_t i, std::string to, bool link);
// A file of text.
FileToWrite text_file(std::string to, std::string text);

// The name without its extension.
std::string stem_of(const std::string& name);
// Two pictures whose names differ only in their extensions would share a file: Fault::data.
void expect_own_stems(const SplitToWrite& split);

// The annotations of a split as a file in COCO's format.
std::string coco_text(const SplitToWrite& split);

}  // namespace convoy
