#include "plot/page.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace convoy {

Pixels page_of(const std::vector<Pixels>& pictures, int64_t columns, int64_t gap) {
  expect(!pictures.empty() && columns > 0, "a page with pictures");
  int64_t width = 0, height = 0;
  for (const Pixels& picture : pictures) {
    width = std::max(width, picture.region.width);
    height = std::max(height, picture.region.height);
  }
  const int64_t count = std::ssize(pictures), across = std::min(columns, count);
  const int64_t down = (count + across - 1) / across;
  Pixels page{.region = {0, 0, across * (width + gap) - gap, down * (height + gap) - gap},
              .bytes = {}};
  page.bytes.assign(static_cast<size_t>(page.region.width * page.region.height * 4), 0xff);
  for (int64_t i = 0; i < count; ++i) {
    const Pixels& picture = pictures[static_cast<size_t>(i)];
    const int64_t x = i % across * (width + gap), y = i / across * (height + gap);
    for (int64_t row = 0; row < picture.region.height; ++row) {
      std::memcpy(page.bytes.data() + ((y + row) * page.region.width + x) * 4,
                  picture.at(picture.region.x, picture.region.y + row),
                  static_cast<size_t>(picture.region.width * 4));
    }
  }
  return page;
}

}  // namespace convoy
