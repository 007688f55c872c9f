#include "data/coco/coco_split.h"

#include <algorithm>

#include "base/error.h"

namespace convoy {
namespace {

bool leads_out(const fs::path& file) {
  return file.is_absolute() ||
         std::ranges::any_of(file, [](const fs::path& part) { return part == ".."; });
}

BoxedPicture picture_of(const CocoImage& image, const fs::path& file) {
  if (image.file.empty() || image.width == 0 || image.height == 0) {
    raise(Fault::data,
          "{}: image {} has no {}; try: an annotation file like instances_val2017.json",
          file.string(), image.id, image.file.empty() ? "file_name" : "width and height");
  }
  if (leads_out(image.file)) {
    raise(Fault::data,
          "{}: the file_name of image {}, {:?}, leads out of its folder; try: a name "
          "below it",
          file.string(), image.id, image.file);
  }
  // Programs for Windows write its separators.
  std::string name = image.file;
  std::ranges::replace(name, '\\', '/');
  return {.id = image.id, .width = image.width, .height = image.height, .file = std::move(name)};
}

// The annotations of each picture, in the order of the file: first counted, then placed.
void place_objects(const CocoAnnotations& all, BoxedSplit& split) {
  const CocoIndex images(all.images), categories(split.categories);
  const auto picture_of = [&](const CocoAnnotation& a) -> BoxedPicture& {
    return split.pictures[static_cast<size_t>(images.find(a.image))];
  };
  for (const CocoAnnotation& a : all.annotations) ++picture_of(a).end;
  size_t next = 0;
  for (BoxedPicture& picture : split.pictures) {
    const size_t count = picture.end;
    picture.begin = picture.end = next;
    next += count;
  }
  split.objects.resize(all.annotations.size());
  for (const CocoAnnotation& a : all.annotations) {
    BoxedPicture& picture = picture_of(a);
    BoxedObject& object = split.objects[picture.end++];
    object = {.x = a.x,
              .y = a.y,
              .width = a.width,
              .height = a.height,
              .area = a.area,
              .category = a.category,
              .number = static_cast<int32_t>(categories.find(a.category) + 1),
              .crowd = a.crowd,
              .is_usable = true};
    judge(object, picture);
  }
}

}  // namespace

BoxedSplit read_coco_split(const fs::path& annotations, const fs::path& pictures) {
  CocoAnnotations all = read_coco_annotations(annotations);
  BoxedSplit split{.folder = pictures};
  split.pictures.reserve(all.images.size());
  for (const CocoImage& image : all.images) {
    split.pictures.push_back(picture_of(image, annotations));
  }
  if (all.categories.empty()) {
    raise(Fault::data,
          "{} lists no categories; try: an annotation file like instances_val2017.json",
          annotations.string());
  }
  split.categories = std::move(all.categories);
  std::ranges::sort(split.categories, {}, &CocoCategory::id);
  place_objects(all, split);
  split.count_unusable();
  return split;
}

}  // namespace convoy
