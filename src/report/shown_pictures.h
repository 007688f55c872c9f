// The pictures that a run shows as one picture.
#pragma once

#include "pictures/picture.h"
#include "train/event.h"

namespace convoy {

// Four beside each other, with their captions. There must be some.
Pixels grid_of(const PicturesShown& shown);

}  // namespace convoy
