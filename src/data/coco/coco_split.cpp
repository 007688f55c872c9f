#include "data/coco/coco_split.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/files/folder.h"
#include "base/text/some_of.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"

namespace convoy {
namespace {

constexpr std::string_view file_start = "instances_";

bool leads_out(const fs::path& file) {
  return file.is_absolute() ||
         std::ranges::any_of(file, [](const fs::path& part) { return part == ".."; });
}

CocoPicture picture_of(const CocoImage& image, const fs::path& file) {
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
  return {.id = image.id, .width = image.width, .height = image.height, .file = image.file};
}

// Counts why an object is not usable.
bool is_usable(const CocoAnnotation& a, const CocoPicture& picture, CocoSplit& split) {
  if (a.width <= 0 || a.height <= 0) {
    ++split.empty;
    return false;
  }
  const auto width = static_cast<double>(picture.width),
             height = static_cast<double>(picture.height);
  if (a.x < 0 || a.y < 0 || a.x + a.width > width || a.y + a.height > height) {
    ++split.outside;
    return false;
  }
  return true;
}

// The annotations of each picture, in the order of the file: first counted, then placed.
void place_objects(const CocoAnnotations& all, CocoSplit& split) {
  const CocoIndex images(all.images), categories(split.categories);
  const auto picture_of = [&](const CocoAnnotation& a) -> CocoPicture& {
    return split.pictures[static_cast<size_t>(images.find(a.image))];
  };
  for (const CocoAnnotation& a : all.annotations) ++picture_of(a).end;
  size_t next = 0;
  for (CocoPicture& picture : split.pictures) {
    const size_t count = picture.end;
    picture.begin = picture.end = next;
    next += count;
  }
  split.objects.resize(all.annotations.size());
  for (const CocoAnnotation& a : all.annotations) {
    CocoPicture& picture = picture_of(a);
    CocoObject& object = split.objects[picture.end++];
    object = {.x = a.x,
              .y = a.y,
              .width = a.width,
              .height = a.height,
              .area = a.area,
              .category = a.category,
              .number = static_cast<int32_t>(categories.find(a.category) + 1),
              .crowd = a.crowd,
              .is_usable = is_usable(a, picture, split)};
    picture.usable += object.is_usable;
  }
}

}  // namespace

int64_t CocoSplit::bare() const { return std::ranges::count(pictures, 0, &CocoPicture::usable); }

std::string CocoSplit::unusable() const {
  std::vector<std::string> parts;
  if (empty > 0) parts.push_back(with_commas(empty) + " boxes of no size");
  if (outside > 0) parts.push_back(with_commas(outside) + " boxes that go beyond their picture");
  return join(parts, ", ");
}

Box box_of(const CocoObject& object, const CocoPicture& picture) {
  const auto width = static_cast<double>(picture.width),
             height = static_cast<double>(picture.height);
  return {.ymin = static_cast<float>(object.y / height),
          .xmin = static_cast<float>(object.x / width),
          .ymax = static_cast<float>((object.y + object.height) / height),
          .xmax = static_cast<float>((object.x + object.width) / width)};
}

CocoSplit read_coco_split(const fs::path& annotations) {
  CocoAnnotations all = read_coco_annotations(annotations);
  CocoSplit split;
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
  return split;
}

std::vector<fs::path> coco_annotation_files(const fs::path& dir, bool train) {
  const std::string start = std::string(file_start) + (train ? "train" : "val");
  for (const char* folder : {"annotations", "raw-data/annotations"}) {
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator entry(dir / folder, code), end; !code && entry != end;
         entry.increment(code)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with(start) && name.ends_with(".json")) found.push_back(entry->path());
    }
    std::ranges::sort(found);
    if (!found.empty()) return found;
  }
  return {};
}

fs::path the_annotation_file(const fs::path& dir, bool train) {
  const std::vector<fs::path> found = coco_annotation_files(dir, train);
  const char* usual = train ? "instances_train2017.json" : "instances_val2017.json";
  if (found.empty()) {
    raise(Fault::data, "{} has no annotations of the {} set; try: annotations/{}", dir.string(),
          train ? "training" : "validation", usual);
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const fs::path& file : found) names.push_back(file.filename().string());
    raise(Fault::data, "{} has several annotation files of one split, {}; try: leave one of them",
          found.front().parent_path().string(), some_of(names, 3));
  }
  return found.front();
}

CocoFiles find_coco(const fs::path& dir, bool train) {
  const fs::path file = the_annotation_file(dir, train);
  const std::string name = file.stem().string().substr(file_start.size());
  const fs::path above = file.parent_path().parent_path();
  for (const fs::path& folder : {above / name, above / "images" / name}) {
    if (is_folder(folder)) return {file, folder};
  }
  raise(Fault::data, "{} is there, but no folder {} with its pictures; try: {}", file.string(),
        (above / name).string(), (above / "images" / name).string());
}

bool is_coco_name(std::string_view name) {
  return name == "annotations" || name == "raw-data" || name == "images" ||
         name.starts_with("train") || name.starts_with("val");
}

}  // namespace convoy
