#include "app/prepare/boxes/tidy_boxes.h"

#include <algorithm>
#include <map>

namespace convoy {
namespace {

// A change by rounding errors is not worth a line.
constexpr double least_cut = 1e-3;

// Ids tell the same in all splits: an id has one name, and a name one id.
bool have_same_ids(const std::vector<BoxedSplit*>& splits) {
  std::map<int64_t, std::string> names;
  std::map<std::string, int64_t> ids;
  for (const BoxedSplit* split : splits) {
    const std::vector<std::string> own = class_names_of(split->categories);
    for (size_t i = 0; i < own.size(); ++i) {
      const int64_t id = split->categories[i].id;
      if (names.emplace(id, own[i]).first->second != own[i]) return false;
      if (ids.emplace(own[i], id).first->second != id) return false;
    }
  }
  return true;
}

}  // namespace

TidyCounts tidy(BoxedSplit& split) {
  TidyCounts counts;
  std::vector<BoxedObject> kept;
  for (BoxedPicture& picture : split.pictures) {
    BoxesSeen seen;
    const size_t begin = kept.size();
    for (BoxedObject object : split.objects_of(picture)) {
      const double before = object.is_empty() ? 0 : beyond(object, picture);
      const double box_area = object.width * object.height;
      cut_to_picture(object, picture);
      if (object.is_empty()) {
        ++counts.empty;
        continue;
      }
      if (!seen.add(object)) {
        ++counts.repeated;
        continue;
      }
      // Of a segmentation, which is not cut here, the area at most shrinks to that of the box.
      if (before > 0) object.area *= std::min(1.0, object.width * object.height / box_area);
      counts.cut += before > least_cut;
      counts.crowds += object.crowd;
      kept.push_back(object);
    }
    picture.begin = begin;
    picture.end = kept.size();
  }
  split.objects = std::move(kept);
  split.count_unusable();
  return counts;
}

void leave_out(BoxedSplit& split, const std::vector<bool>& is_bad) {
  std::vector<BoxedPicture> kept;
  for (size_t i = 0; i < split.pictures.size(); ++i) {
    if (!is_bad[i]) kept.push_back(std::move(split.pictures[i]));
  }
  split.pictures = std::move(kept);
  split.count_unusable();
}

std::vector<CocoCategory> join_classes(const std::vector<BoxedSplit*>& splits) {
  const bool keep_ids = have_same_ids(splits);
  std::vector<CocoCategory> all;
  std::map<std::string, size_t> places;
  for (const BoxedSplit* split : splits) {
    const std::vector<std::string> own = class_names_of(split->categories);
    for (size_t i = 0; i < own.size(); ++i) {
      if (!places.emplace(own[i], all.size()).second) continue;
      all.push_back({keep_ids ? split->categories[i].id : std::ssize(all) + 1, own[i]});
    }
  }
  if (keep_ids) std::ranges::sort(all, {}, &CocoCategory::id);
  for (size_t i = 0; i < all.size(); ++i) places[all[i].name] = i;
  for (BoxedSplit* split : splits) {
    const std::vector<std::string> own = class_names_of(split->categories);
    for (BoxedObject& object : split->objects) {
      const size_t place = places.at(own[static_cast<size_t>(object.number) - 1]);
      object.number = static_cast<int32_t>(place) + 1;
      object.category = all[place].id;
    }
    split->categories = all;
  }
  return all;
}

}  // namespace convoy
