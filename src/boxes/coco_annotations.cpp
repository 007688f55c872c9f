#include "boxes/coco_annotations.h"

#include <fmt/core.h>

#include <algorithm>

#include "boxes/coco_row.h"

namespace convoy {
namespace {

const std::vector<JsonTable>& tables() {
  static const std::vector<JsonTable> all{
      {"images", {"id", "file_name", "width", "height"}},
      {"categories", {"id", "name"}},
      {"annotations", {"id", "image_id", "category_id", "bbox", "area", "iscrowd"}}};
  return all;
}

template <class Entry>
CocoIndex index_of(const fs::path& file, size_t table, const std::vector<Entry>& entries) {
  CocoIndex index(entries);
  if (const int64_t row = index.repeated(); row >= 0) {
    raise_coco(file, tables()[table], row,
               fmt::format("has the id {} that an earlier entry has",
                           entries[static_cast<size_t>(row)].id));
  }
  return index;
}

void check(const fs::path& file, const CocoAnnotations& all) {
  const CocoIndex images = index_of(file, 0, all.images);
  const CocoIndex categories = index_of(file, 1, all.categories);
  index_of(file, 2, all.annotations);
  for (size_t i = 0; i < all.annotations.size(); ++i) {
    const CocoAnnotation& a = all.annotations[i];
    const auto row = static_cast<int64_t>(i);
    if (images.find(a.image) < 0) {
      raise_coco(file, tables()[2], row,
                 fmt::format("is of image {}, which the file does not list", a.image));
    }
    if (categories.find(a.category) < 0) {
      raise_coco(file, tables()[2], row,
                 fmt::format("is of category {}, which the file does not list", a.category));
    }
  }
}

}  // namespace

CocoAnnotations read_coco_annotations(const fs::path& file) {
  CocoAnnotations all;
  for_each_coco_row(file, tables(), [&](size_t table, const CocoRow& row) {
    if (table == 0) {
      all.images.push_back({row.id(0), row.text(1), row.pixels(2), row.pixels(3)});
    } else if (table == 1) {
      all.categories.push_back({row.id(0), row.text(1)});
    } else {
      const CocoBox box = row.box(3);
      all.annotations.push_back({row.id(0), row.id(1), row.id(2), box.x, box.y, box.width,
                                 box.height, row.number(4), row.flag(5)});
    }
  });
  if (all.images.empty()) {
    raise(Fault::data, "{} lists no images; try: an annotation file like instances_val2017.json",
          file.string());
  }
  if (all.categories.size() > most_coco_categories) {
    raise(Fault::data, "{} lists {} categories, more than {}; try: fewer categories", file.string(),
          all.categories.size(), most_coco_categories);
  }
  check(file, all);
  return all;
}

void CocoIndex::sort() {
  const auto before = [](const Place& a, const Place& b) {
    return a.id != b.id ? a.id < b.id : a.at < b.at;
  };
  std::ranges::sort(places_, before);
  for (size_t i = 1; i < places_.size(); ++i) {
    if (places_[i].id != places_[i - 1].id) continue;
    if (repeated_ < 0 || places_[i].at < repeated_) repeated_ = places_[i].at;
  }
}

int64_t CocoIndex::find(int64_t id) const {
  const auto found = std::ranges::lower_bound(places_, id, {}, &Place::id);
  return found != places_.end() && found->id == id ? found->at : -1;
}

}  // namespace convoy
