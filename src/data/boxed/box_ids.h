// Numbers of pictures in formats that have none.
#pragma once

#include "data/boxed/boxed_split.h"

namespace convoy {

// The number in the name if every picture's name is another number, as COCO's are
// (000000008193.jpg); else the place of the picture, from 1.
void number_pictures(std::vector<BoxedPicture>& pictures);

}  // namespace convoy
