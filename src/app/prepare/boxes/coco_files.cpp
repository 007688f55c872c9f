// Sets in COCO's format. The text is appended to, without a tree of JSON: there may be a million
// objects.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/prepare/boxes/box_writers.h"
#include "base/text/json_text.h"

namespace convoy {
namespace {

std::string quoted(const std::string& text) { return json_text(nlohmann::ordered_json(text)); }

}  // namespace

std::string coco_text(const SplitToWrite& split) {
  std::string text = "{\"images\": [";
  auto out = std::back_inserter(text);
  const auto comma = [&](bool is_first) { fmt::format_to(out, "{}", is_first ? "\n" : ",\n"); };
  // As every format has them: by name.
  std::vector<size_t> order(split.names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) -> const std::string& { return split.names[i]; });
  for (size_t k = 0; k < order.size(); ++k) {
    const BoxedPicture& picture = split.read.pictures[order[k]];
    comma(k == 0);
    fmt::format_to(out, R"({{"id": {}, "file_name": {}, "width": {}, "height": {}}})", picture.id,
                   quoted(split.names[order[k]]), picture.width, picture.height);
  }
  text += "],\n\"categories\": [";
  for (size_t i = 0; i < split.read.categories.size(); ++i) {
    const CocoCategory& one = split.read.categories[i];
    comma(i == 0);
    fmt::format_to(out, R"({{"id": {}, "name": {}}})", one.id, quoted(one.name));
  }
  text += "],\n\"annotations\": [";
  int64_t id = 0;
  for (const size_t i : order) {
    const BoxedPicture& picture = split.read.pictures[i];
    for (const BoxedObject& o : split.read.objects_of(picture)) {
      comma(id == 0);
      fmt::format_to(out,
                     R"({{"id": {}, "image_id": {}, "category_id": {}, "bbox": [{}, {}, {}, {}], )"
                     R"("area": {}, "iscrowd": {}}})",
                     ++id, picture.id, o.category, o.x, o.y, o.width, o.height, o.area,
                     o.crowd ? 1 : 0);
    }
  }
  text += "]}\n";
  return text;
}

std::vector<FileToWrite> coco_files(const BoxedSet& set, bool link) {
  std::vector<FileToWrite> files;
  for (const SplitToWrite& split : set.splits) {
    const std::string name(word_of(split.split));
    for (size_t i = 0; i < split.names.size(); ++i) {
      files.push_back(picture_file(split, i, name + "/" + split.names[i], link));
    }
    files.push_back(text_file("annotations/instances_" + name + ".json", coco_text(split)));
  }
  return files;
}

}  // namespace convoy
