#include "app/predict/coco_ids.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "boxes/coco_annotations.h"
#include "data/coco/coco_categories.h"

namespace convoy {
namespace {

const CocoCategory* find(const std::vector<CocoCategory>& categories, const std::string& name) {
  const auto found = std::ranges::find(categories, name, &CocoCategory::name);
  return found == categories.end() ? nullptr : &*found;
}

// The categories of the annotations by their ids.
std::vector<CocoCategory> sorted(std::vector<CocoCategory> categories) {
  std::ranges::sort(categories, {}, &CocoCategory::id);
  return categories;
}

}  // namespace

CocoIds::CocoIds(const std::vector<std::string>& names, int64_t classes,
                 const fs::path& annotations)
    : annotations_(annotations.string()) {
  const int64_t objects = classes - 1;
  std::vector<CocoCategory> known = coco_categories();
  if (!annotations.empty()) {
    CocoAnnotations read = read_coco_annotations(annotations);
    known = sorted(std::move(read.categories));
    for (const CocoImage& image : read.images) {
      images_.emplace(fs::path(image.file).filename().string(), image.id);
    }
  }
  if (names.empty() && std::ssize(known) == objects) {
    for (const CocoCategory& category : known) {
      categories_.push_back(category.id);
      names_.push_back(category.name);
    }
    return;
  }
  if (names.empty() && !annotations_.empty()) {
    raise(Fault::data,
          "{} has {} categories, the network {} classes without names; try: --class-names FILE",
          annotations_, known.size(), objects);
  }
  are_known_ = !names.empty();
  for (int64_t label = 1; label < classes; ++label) {
    const auto at = static_cast<size_t>(label);
    names_.push_back(at < names.size() && !names[at].empty() ? names[at]
                                                             : fmt::format("class {}", label));
    const CocoCategory* category = find(known, names_.back());
    if (!category && !annotations_.empty()) {
      raise(Fault::data,
            "{} has no category \"{}\", a class of the network; try: annotations of "
            "the data it was trained on",
            annotations_, names_.back());
    }
    are_known_ = are_known_ && category;
    categories_.push_back(category ? category->id : label);
  }
  if (are_known_) return;
  for (int64_t label = 1; label < classes; ++label) {
    categories_[static_cast<size_t>(label - 1)] = label;
  }
}

int64_t CocoIds::image(const std::string& file) const {
  const fs::path name = fs::path(file).filename();
  if (const auto found = images_.find(name.string()); found != images_.end()) return found->second;
  if (!annotations_.empty()) {
    raise(Fault::data,
          "{} has no picture {}; try: the annotations of these pictures, or without "
          "--annotations",
          annotations_, name.string());
  }
  const std::string stem = name.stem().string();
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (problem == std::errc() && end == stem.data() + stem.size() && number >= 0) return number;
  raise(Fault::data,
        "{}: --results needs its number, which its name does not tell; try: "
        "--annotations FILE",
        file);
}

}  // namespace convoy
