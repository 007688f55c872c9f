// All splits of a set of pictures with boxes, read from one format and ready to be written in
// another: sound pictures only, with sound boxes, and the same classes in all splits.
#pragma once

#include <string>
#include <vector>

#include "app/prepare/boxes/picture_form.h"
#include "app/prepare/prepare_kind.h"
#include "data/boxed/box_format.h"

namespace convoy {

struct SplitToWrite {
  SplitName split;
  BoxedSplit read;
  // Of each picture: its name in the new set, below the folder of the split, and its form.
  std::vector<std::string> names;
  std::vector<PictureForm> forms;
};

struct BoxedSet {
  std::vector<SplitToWrite> splits;
  std::vector<CocoCategory> classes;  // of all splits, by number
  int64_t left_out = 0;               // pictures
};

struct BoxedSetSpec {
  const BoxFormat& from;
  double val_share = 0;
  bool upright_to = false;  // what readers of the new set assume (Orientations)
};

// Reads the set of `site.options.input` and tells what it has, and what of it is left out: broken
// pictures and annotations (up to --max-bad), boxes of no size, exact repetitions of boxes. Boxes
// that go beyond their picture are cut to it. Classes are joined by name.
BoxedSet read_boxed_set(const PrepareSite& site, const BoxedSetSpec& spec);

}  // namespace convoy
