// Draws a detection set of shapes and writes it in COCO's layout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/files/file.h"
#include "base/text/words.h"
#include "base/threads/thread_pool.h"

namespace convoy {

enum class ShapesFormat { jpeg, png };
constexpr auto words_of(ShapesFormat) { return words<ShapesFormat>("jpeg", "png"); }

struct ShapesSpec {
  int64_t train = 8000, val = 500;  // pictures
  int64_t side = 128;               // of the pictures, in pixels
  ShapesFormat format = ShapesFormat::jpeg;
  uint64_t seed = 1;
};

struct ShapesResult {
  int64_t objects = 0, bytes = 0;
};

// Makes `folder`, which must not exist or be empty: annotations/instances_{train,val}2017.json,
// train2017/ and val2017/. It appears complete or, where the program is killed, not at all. The
// bytes depend on `spec` alone; picture i of a split does not depend on how many there are.
// `watch(pictures)` is called now and then with the number drawn so far, by any thread.
ShapesResult write_shapes(const fs::path& folder, const ShapesSpec& spec, ThreadPool& pool,
                          const std::function<void(int64_t)>& watch = {});

}  // namespace convoy
