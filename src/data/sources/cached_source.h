// Keeps encoded pictures in memory after their first read, as long as memory is free: the second
// epoch then reads neither disk nor network. Owns the source.
#pragma once

#include <functional>
#include <memory>

#include "data/sources/picture_source.h"

namespace convoy {

// `free_bytes` returns how much memory is left; below `reserve` nothing more is kept. Defaults:
// what the machine or the tightest cgroup has left, and an eighth of all memory.
std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source);
std::unique_ptr<PictureSource> cached(std::unique_ptr<PictureSource> source,
                                      std::function<int64_t()> free_bytes, int64_t reserve);

}  // namespace convoy
