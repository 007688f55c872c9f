#include "app/predict/found_objects.h"

#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json_text.h"

namespace convoy {

FoundObject in_pixels(const Detection& detection, int64_t width, int64_t height) {
  const PixelBox box = in_pixels(detection.box, width, height);
  return {.label = detection.label,
          .score = static_cast<double>(detection.score),
          .x = box.x,
          .y = box.y,
          .width = box.width,
          .height = box.height};
}

std::string text_lines(const FoundInPicture& picture, const CocoIds& ids, double min_score) {
  const std::string which = picture.file.empty() ? std::to_string(picture.index) : picture.file;
  std::string text;
  for (const FoundObject& o : picture.objects) {
    if (o.score < min_score) continue;
    text +=
        shown("{:>6}  {:5.1f}%  {:>3} {:<16} {:7.1f} {:7.1f} {:7.1f} {:7.1f}\n", which,
              100 * o.score, ids.category(o.label), ids.name(o.label), o.x, o.y, o.width, o.height);
  }
  return text.empty() ? shown("{:>6}  no object\n", which) : text;
}

std::string json_line(const FoundInPicture& picture, const CocoIds& ids) {
  using Json = nlohmann::ordered_json;
  Json line{{"index", picture.index}};
  if (!picture.file.empty()) line["file"] = picture.file;
  line["width"] = picture.width;
  line["height"] = picture.height;
  Json objects = Json::array();
  for (const FoundObject& o : picture.objects) {
    objects.push_back({{"class", o.label},
                       {"category", ids.category(o.label)},
                       {"name", ids.name(o.label)},
                       {"score", o.score},
                       {"box", {o.x, o.y, o.width, o.height}}});
  }
  line["objects"] = std::move(objects);
  return json_text(line) + "\n";
}

// Written without a tree of JSON: a set like COCO's has a million objects.
void CocoResults::add(int64_t image, std::span<const FoundObject> objects, const CocoIds& ids) {
  for (const FoundObject& o : objects) {
    fmt::format_to(std::back_inserter(text_),
                   R"({}{{"image_id":{},"category_id":{},"bbox":[{},{},{},{}],"score":{}}})",
                   text_.empty() ? "" : ",\n", image, ids.category(o.label), o.x, o.y, o.width,
                   o.height, o.score);
  }
}

}  // namespace convoy
