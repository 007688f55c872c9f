// Makes a split of pictures that have an annotation file each, which are read by several threads.
#pragma once

#include <functional>

#include "data/boxed/box_format.h"

namespace convoy {

// A picture as its annotation describes it. The objects' categories are set; their numbers and
// areas, and what is usable of them, follow.
struct DescribedPicture {
  BoxedPicture picture;
  std::vector<BoxedObject> objects;
  std::vector<BoxFault> faults;  // empty: all is right
};

// Calls `describe` for 0 to count - 1, with several threads, and joins the pictures in this order.
// Errors of Fault::data that it raises are faults of its picture. Objects are cut to the picture,
// and exact repetitions left out, unless `how.as_written`. `split` has the folder and the
// categories, whose ids are 1, 2, 3 ....
BoxedSplit described_split(BoxedSplit split, int64_t count,
                           const std::function<void(int64_t, DescribedPicture&)>& describe,
                           const BoxReading& how);

}  // namespace convoy
