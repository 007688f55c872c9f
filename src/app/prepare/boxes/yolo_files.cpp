// Sets in YOLO's format, as ultralytics reads them.
#include <fmt/format.h>

#include <iterator>

#include "app/prepare/boxes/box_writers.h"

namespace convoy {
namespace {

// In single quotes, where only these have a meaning.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) {
    all += c;
    if (c == '\'') all += c;
  }
  return all + "'";
}

std::string labels_text(const BoxedSplit& split, const BoxedPicture& picture) {
  std::string text;
  const auto width = static_cast<double>(picture.width),
             height = static_cast<double>(picture.height);
  for (const BoxedObject& o : split.objects_of(picture)) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", o.number - 1,
                   (o.x + o.width / 2) / width, (o.y + o.height / 2) / height, o.width / width,
                   o.height / height);
  }
  return text;
}

std::string data_yaml(const BoxedSet& set) {
  std::string text = "# A set in YOLO's format. Paths are relative to this file.\npath: .\n";
  for (const SplitToWrite& split : set.splits) {
    text += fmt::format("{}: images/{}\n", word_of(split.split), word_of(split.split));
  }
  text += fmt::format("nc: {}\nnames:\n", set.classes.size());
  for (size_t i = 0; i < set.classes.size(); ++i) {
    text += fmt::format("  {}: {}\n", i, quoted(set.classes[i].name));
  }
  return text;
}

}  // namespace

std::vector<FileToWrite> yolo_files(const BoxedSet& set, bool link) {
  std::vector<FileToWrite> files{text_file("data.yaml", data_yaml(set))};
  for (const SplitToWrite& split : set.splits) {
    expect_own_stems(split);
    const std::string name(word_of(split.split));
    for (size_t i = 0; i < split.names.size(); ++i) {
      files.push_back(picture_file(split, i, "images/" + name + "/" + split.names[i], link));
      files.push_back(text_file("labels/" + name + "/" + stem_of(split.names[i]) + ".txt",
                                labels_text(split.read, split.read.pictures[i])));
    }
  }
  return files;
}

}  // namespace convoy
