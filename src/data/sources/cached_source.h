// Keeps encoded pictures in memory after their first read, as long as memory is free: the second
// epoch then reads neither disk nor network. Owns the source.
#pragma once

#include <memory>

#include "data/sources/keep_while_free.h"
#include "data/sources/picture_source.h"

namespace convoy {

std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source);
std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source, FreeMemory free);

}  // namespace convoy
