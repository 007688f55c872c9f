// Sets in Pascal VOC's format. Coordinates count from 1 and have fractions where the boxes have.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "app/prepare/boxes/box_writers.h"

namespace convoy {
namespace {

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&':
        all += "&amp;";
        break;
      case '<':
        all += "&lt;";
        break;
      case '>':
        all += "&gt;";
        break;
      default:
        all += c;
    }
  }
  return all;
}

std::string annotation(const BoxedSplit& split, const BoxedPicture& picture,
                       const std::string& name) {
  std::string text = fmt::format(
      "<annotation>\n  <folder>JPEGImages</folder>\n  <filename>{}</filename>\n"
      "  <size><width>{}</width><height>{}</height><depth>3</depth></size>\n"
      "  <segmented>0</segmented>\n",
      escaped(name), picture.width, picture.height);
  for (const BoxedObject& o : split.objects_of(picture)) {
    fmt::format_to(
        std::back_inserter(text),
        "  <object>\n    <name>{}</name><pose>Unspecified</pose>\n"
        "    <truncated>0</truncated><difficult>{}</difficult>\n"
        "    <bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>\n"
        "  </object>\n",
        escaped(split.categories[static_cast<size_t>(o.number) - 1].name), o.crowd ? 1 : 0,
        settled(o.x + 1), settled(o.y + 1), settled(o.x + o.width), settled(o.y + o.height));
  }
  return text + "</annotation>\n";
}

// All pictures lie in one folder, so those of splits that share names get a folder for each split.
bool share_names(const BoxedSet& set) {
  std::set<std::string> known;
  for (const SplitToWrite& split : set.splits) {
    for (const std::string& name : split.names) {
      if (!known.insert(stem_of(name)).second) return true;
    }
  }
  return false;
}

// VOC's own list holds names without quotes; those with blanks get them, as CVAT writes them.
std::string listed(const std::string& name) {
  return name.find(' ') == name.npos ? name : "\"" + name + "\"";
}

}  // namespace

std::vector<FileToWrite> voc_files(const BoxedSet& set, bool link) {
  std::string classes = "# label:color:parts:actions\n";
  for (const CocoCategory& one : set.classes) classes += one.name + ":::\n";
  std::vector<FileToWrite> files{text_file("labelmap.txt", std::move(classes))};
  const bool shares = share_names(set);
  for (const SplitToWrite& split : set.splits) {
    expect_own_stems(split);
    const std::string front = shares ? std::string(word_of(split.split)) + "/" : "";
    std::vector<std::string> list;
    for (size_t i = 0; i < split.names.size(); ++i) {
      const std::string name = front + split.names[i];
      files.push_back(picture_file(split, i, "JPEGImages/" + name, link));
      files.push_back(text_file("Annotations/" + stem_of(name) + ".xml",
                                annotation(split.read, split.read.pictures[i], split.names[i])));
      list.push_back(listed(stem_of(name)));
    }
    std::ranges::sort(list);
    std::string lines;
    for (const std::string& name : list) lines += name + "\n";
    files.push_back(
        text_file(fmt::format("ImageSets/Main/{}.txt", word_of(split.split)), std::move(lines)));
  }
  return files;
}

}  // namespace convoy
