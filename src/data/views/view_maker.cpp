#include "data/views/view_maker.h"

#include "base/error.h"
#include "base/text/text.h"

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

void ResizeOption::describe(Fields& field) {
  field("eval-resize", pixels,
        "pictures' shorter side before the middle is cut out for evaluation; 0: image-size x 256 / "
        "224",
        between(0, 8192), {"val-resize-size"});
}

int64_t ResizeOption::of(int64_t image_size) const {
  const int64_t usual = image_size * 256 / 224;
  if (pixels && pixels < image_size) {
    raise(Fault::usage, "eval-resize {} is smaller than the image of {}; try: --eval-resize {}",
          pixels, image_size, usual);
  }
  return pixels ? pixels : usual;
}

ToldOptions told_resize(const PictureSpec& spec) {
  return {{"eval-resize", std::to_string(spec.options.read<ResizeOption>().of(spec.size))}};
}

void RandomCropOptions::describe(Fields& field) {
  field("crop-area", area,
        "smallest and largest share of the picture that a random crop has; default: the crop's",
        between(1e-4, 1));
  field("crop-ratio", ratio,
        "smallest and largest width / height of a random crop; default: the crop's",
        between(0.01, 100));
  for (const auto& [key, values] : {std::pair{"crop-area", &area}, {"crop-ratio", &ratio}}) {
    if (values->empty() || (values->size() == 2 && values->front() <= values->back())) continue;
    raise(Fault::usage, "{} takes a smallest and a largest value; try: --{} 0.5,1", key, key);
  }
}

}  // namespace convoy
