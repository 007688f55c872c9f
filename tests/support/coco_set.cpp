#include "support/coco_set.h"

#include <fmt/format.h>

#include "support/tiny_sets.h"

namespace convoy::test {

std::string spot_bmp(const Spot& spot) {
  // 24 bits per pixel, rows from the bottom, each of whole words.
  const int64_t row = (spot.width * 3 + 3) / 4 * 4;
  std::string bytes(static_cast<size_t>(54 + row * spot.height), '\x20');
  const auto put = [&](size_t at, int64_t value, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  };
  for (size_t at = 0; at < 54; ++at) bytes[at] = 0;
  bytes[0] = 'B', bytes[1] = 'M';
  put(2, static_cast<int64_t>(bytes.size()), 4), put(10, 54, 4), put(14, 40, 4);
  put(18, spot.width, 4), put(22, spot.height, 4), put(26, 1, 2), put(28, 24, 2);
  for (int64_t y = spot.top; y < spot.top + spot.high; ++y) {
    const int64_t begin = 54 + (spot.height - 1 - y) * row + spot.left * 3;
    for (int64_t i = 0; i < spot.wide * 3; ++i) bytes[static_cast<size_t>(begin + i)] = '\xf0';
  }
  return bytes;
}

CocoSet::CocoSet() {
  annotations = {
      {"images", nlohmann::json::array()},
      {"annotations", nlohmann::json::array()},
      {"categories",
       {{{"id", 5}, {"name", "cat"}}, {{"id", 3}, {"name", "bee"}}, {{"id", 9}, {"name", "dog"}}}}};
}

void CocoSet::add_picture(int64_t id, const Spot& spot) {
  const std::string name = fmt::format("{:012}.bmp", id);
  annotations["images"].push_back(
      {{"id", id}, {"file_name", name}, {"width", spot.width}, {"height", spot.height}});
  pictures.emplace_back(name, spot_bmp(spot));
}

void CocoSet::add_object(int64_t picture, int64_t category, std::array<double, 4> box, bool crowd) {
  annotations["annotations"].push_back({{"id", annotations["annotations"].size() + 100},
                                        {"image_id", picture},
                                        {"category_id", category},
                                        {"bbox", box},
                                        {"area", box[2] * box[3] / 2},
                                        {"iscrowd", crowd ? 1 : 0}});
}

void CocoSet::write(const fs::path& folder, const std::string& split, const fs::path& below) const {
  fs::create_directories(folder / "annotations");
  fs::create_directories(folder / below / split);
  write_bytes(folder / "annotations" / ("instances_" + split + ".json"), annotations.dump());
  for (const auto& [name, content] : pictures) write_bytes(folder / below / split / name, content);
}

CocoSet five_pictures() {
  CocoSet set;
  set.add_picture(8, {.width = 80, .height = 60});
  set.add_picture(4, {.width = 64, .height = 96});
  for (const int64_t id : {15, 16, 23}) set.add_picture(id, {});
  set.add_object(4, 9, {16, 24, 32, 48});
  set.add_object(15, 3, {10, 10, 0, 5});
  set.add_object(8, 3, {20, 15, 40, 30});
  set.add_object(23, 5, {0, 0, 90, 60}, true);
  set.add_object(4, 5, {0, 0, 64, 96});
  set.add_object(15, 3, {50, 10, 41, 5});
  set.add_object(23, 3, {45, 30, 9, 6});
  set.add_object(23, 3, {45, 30, -9, 6});
  return set;
}

}  // namespace convoy::test
