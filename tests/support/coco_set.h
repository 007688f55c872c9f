// A small set of pictures with objects, as COCO is published; right, or wrong by what is changed.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"

namespace convoy::test {

// An uncompressed picture: grey, with one bright rectangle.
struct Spot {
  int64_t width = 90, height = 60, left = 54, top = 15, wide = 12, high = 12;
};
std::string spot_bmp(const Spot& spot);

struct CocoSet {
  nlohmann::json annotations;
  std::vector<std::pair<std::string, std::string>> pictures;  // name and content

  // Three categories with gaps between their ids: 3 bee, 5 cat, 9 dog.
  CocoSet();

  void add_picture(int64_t id, const Spot& spot);
  // Of a category, x, y, width, height in pixels.
  void add_object(int64_t picture, int64_t category, std::array<double, 4> box, bool crowd = false);
  // annotations/instances_<split>.json, and the pictures in <below>/<split>.
  void write(const fs::path& folder, const std::string& split, const fs::path& below = "") const;
};

// Five pictures: 4 and 8 have usable objects, 15 an object of no size and one that goes beyond the
// picture, 16 none, 23 a crowd and a usable object.
CocoSet five_pictures();

}  // namespace convoy::test
