// YOLO: a file of labels for each picture (boxes/yolo_labels.h), described by data.yaml
// (data/yolo/yolo_layout.h). A picture without labels shows no objects.
#include <fmt/core.h>

#include "boxes/yolo_labels.h"
#include "data/boxed/described_pictures.h"
#include "data/boxed/picture_size.h"
#include "data/sources/data_file.h"
#include "data/yolo/yolo_layout.h"

namespace convoy {
namespace {

std::vector<SplitName> splits(const fs::path& dir) {
  if (!has_yolo(dir)) return {};
  const YoloLayout layout = *find_yolo(dir);
  std::vector<SplitName> found;
  for (const Word<SplitName>& word : words_of(SplitName{})) {
    if (!layout.of(word.value).empty()) found.push_back(word.value);
  }
  if (found.empty()) {
    raise(Fault::data, "{} names no pictures; try: train: and val: with their folders",
          layout.description.string());
  }
  return found;
}

BoxedObject object_of(const YoloRow& row, const BoxedPicture& picture) {
  const auto width = static_cast<double>(picture.width),
             height = static_cast<double>(picture.height);
  return {.x = settled((row.cx - row.width / 2) * width),
          .y = settled((row.cy - row.height / 2) * height),
          .width = settled(row.width * width),
          .height = settled(row.height * height),
          .area = 0,
          .category = row.number + 1,
          .number = 0,
          .crowd = false,
          .is_usable = false};
}

void describe(const YoloPicture& from, const YoloLayout& layout, bool upright,
              DescribedPicture& to) {
  if (!from.listed.empty()) {
    to.faults.push_back({from.listed, fmt::format("the picture {:?} is not there", from.name),
                         BoxTrouble::missing});
    return;
  }
  to.picture.file = from.name;
  const PictureSize size = size_of(read_picture_info(from.path.string()), upright);
  to.picture = {.id = 0, .width = size.width, .height = size.height, .file = from.name};
  if (!is_there(from.labels)) return;
  const YoloLabels labels =
      parse_yolo_labels(read_file(from.labels, Fault::data),
                        static_cast<int64_t>(layout.names.size()), layout.key_points);
  for (const YoloProblem& problem : labels.problems) {
    to.faults.push_back({fmt::format("{}:{}", from.labels.string(), problem.line), problem.what,
                         problem.is_class ? BoxTrouble::unknown_class : BoxTrouble::broken});
  }
  for (const YoloRow& row : labels.rows) to.objects.push_back(object_of(row, to.picture));
}

BoxedSplit read(const fs::path& dir, SplitName split, const BoxReading& how) {
  const YoloLayout layout = *find_yolo(dir);
  const YoloPictures found = find_yolo_pictures(layout, split);
  BoxedSplit made{.folder = found.folder};
  for (const std::string& name : layout.names) {
    made.categories.push_back({static_cast<int64_t>(made.categories.size()) + 1, name});
  }
  return described_split(
      std::move(made), std::ssize(found.pictures),
      [&](int64_t i, DescribedPicture& to) {
        describe(found.pictures[static_cast<size_t>(i)], layout, how.upright, to);
      },
      how);
}

}  // namespace

BoxFormat yolo_box_format() {
  return {.name = "yolo",
          .upright = true,
          .slack = 1,
          .is_in = has_yolo,
          .splits = splits,
          .read = read};
}

}  // namespace convoy
