#include "data/boxed/box_format.h"

#include <algorithm>

#include "base/text/text.h"
#include "data/sources/val_share.h"

namespace convoy {
namespace {

bool contains(const std::vector<SplitName>& splits, SplitName split) {
  return std::ranges::find(splits, split) != splits.end();
}

std::string words_of_all(const std::vector<SplitName>& splits) {
  std::vector<std::string> texts;
  for (const SplitName split : splits) texts.emplace_back(word_of(split));
  return join(texts, " and ");
}

[[noreturn]] void refuse(const fs::path& dir, const std::vector<SplitName>& splits, bool train) {
  if (contains(splits, SplitName::whole) || (!train && splits == std::vector{SplitName::train})) {
    raise(Fault::data,
          "{} has boxes, but no pictures for evaluation; try: --val-share 0.1, which keeps a tenth "
          "for that",
          dir.string());
  }
  raise(Fault::data, "{} has only a {} set; try: a folder with a {} set too", dir.string(),
        words_of_all(splits), train ? "training" : "validation");
}

SplitName chosen(const fs::path& dir, const std::vector<SplitName>& splits,
                 const BoxSelection& wanted) {
  std::vector<SplitName> order{SplitName::train};
  if (!wanted.train) {
    order = {SplitName::val, SplitName::test};
    if (wanted.held_out == "val") order.pop_back();
    if (wanted.held_out == "test") std::ranges::reverse(order);
  }
  for (const SplitName split : order) {
    if (contains(splits, split)) return split;
  }
  refuse(dir, splits, wanted.train);
}

}  // namespace

const BoxFormat& find_box_format(std::string_view name) {
  std::vector<std::string> names;
  for (const BoxFormat& format : box_format_catalog()) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  raise(Fault::usage, "boxes have no format {}; try: {}", name, join(names, ", "));
}

const BoxFormat* recognise_boxes(const fs::path& dir) {
  for (const BoxFormat& format : box_format_catalog()) {
    if (format.is_in(dir)) return &format;
  }
  return nullptr;
}

BoxedSplit share_of(const BoxedSplit& all, bool train, double val_share) {
  std::vector<std::string> names;
  for (const BoxedPicture& picture : all.pictures) names.push_back(picture.file);
  const std::vector<bool> is_out = held_out(names, val_share);
  BoxedSplit share{.folder = all.folder, .categories = all.categories};
  for (size_t i = 0; i < all.pictures.size(); ++i) {
    if (is_out[i] == train) continue;
    BoxedPicture picture = all.pictures[i];
    const auto objects = all.objects_of(picture);
    picture.begin = share.objects.size();
    share.objects.insert(share.objects.end(), objects.begin(), objects.end());
    picture.end = share.objects.size();
    share.pictures.push_back(std::move(picture));
  }
  share.count_unusable();
  return share;
}

BoxedSplit read_boxes(const BoxFormat& format, const fs::path& dir, const BoxSelection& wanted,
                      const BoxReading& how) {
  const std::vector<SplitName> splits = format.splits(dir);
  if (splits.empty()) {
    raise(Fault::data, "{} has no boxes in the format {}; try: convoy list datasets", dir.string(),
          format.name);
  }
  const bool is_split = contains(splits, SplitName::val) || contains(splits, SplitName::test);
  if (wanted.val_share == 0) return format.read(dir, chosen(dir, splits, wanted), how);
  if (is_split) {
    raise(Fault::usage,
          "--val-share is for a folder without splits, but {} has {}; try: without it",
          dir.string(), words_of_all(splits));
  }
  return share_of(format.read(dir, splits.front(), how), wanted.train, wanted.val_share);
}

}  // namespace convoy
