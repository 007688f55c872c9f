// Encoded pictures kept in memory after their first read, as long as memory is free: the second
// epoch reads no disk and no network.
#pragma once

#include <functional>
#include <memory>

#include "data/sources/picture_source.h"

namespace convoy {

// `free_bytes` tells how much memory is left; nothing is added while it is below `reserve` bytes.
// By default what the machine or the tightest cgroup has left, and an eighth of all there is.
std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source);
std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source,
                                      std::function<int64_t()> free_bytes, int64_t reserve);

}  // namespace convoy
