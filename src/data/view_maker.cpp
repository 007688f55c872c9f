#include "data/view_maker.h"

#include "base/error.h"
#include "base/text.h"

namespace convoy {

const ViewDef& find_view(std::string_view name) {
  std::vector<std::string> names;
  for (const ViewDef& def : view_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  const std::string near = nearest(name, names);
  raise(Fault::usage, "unknown crop '{}'{}; try: --crop {}", name,
        near.empty() ? "" : ", did you mean '" + near + "'?", join(names, "|"));
}

PictureView crop_view(int64_t x, int64_t y, int64_t width, int64_t height, int64_t size) {
  return {.x = {static_cast<double>(x), static_cast<double>(width), size, 0, size},
          .y = {static_cast<double>(y), static_cast<double>(height), size, 0, size}};
}

Range range_or(const std::vector<double>& given, Range own) {
  return given.empty() ? own : Range{given.front(), given.back()};
}

}  // namespace convoy
