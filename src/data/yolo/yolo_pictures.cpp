// Finds the pictures of a split, and where the labels of each are.
#include <algorithm>
#include <map>

#include "base/files/folder.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"
#include "data/yolo/yolo_layout.h"

namespace convoy {
namespace {

// Where a path of a description or a list can lead: programs write it relative to the description,
// to the folder above it (`../train/images` of Roboflow is train/images), or to a folder `data`
// that is not there.
fs::path found_place(const fs::path& root, const std::string& text) {
  std::string name = text;
  std::ranges::replace(name, '\\', '/');
  std::vector<fs::path> places{root / name};
  if (name.starts_with("../")) places.push_back(root / name.substr(3));
  const size_t slash = name.find('/');
  if (slash != name.npos && slash > 0) places.push_back(root / name.substr(slash + 1));
  for (const fs::path& place : places) {
    if (is_there(place)) return place.lexically_normal();
  }
  return {};
}

// The file of a picture's labels.
fs::path labels_of(const fs::path& picture, const fs::path& root) {
  fs::path inside = picture.lexically_relative(root);
  const bool is_inside = !inside.empty() && *inside.begin() != "..";
  if (!is_inside) inside = picture;
  std::vector<fs::path> parts(inside.begin(), inside.end());
  for (size_t i = parts.size() - 1; i-- > 0;) {  // not the name of the picture itself
    if (parts[i] != "images") continue;
    parts[i] = "labels";
    break;
  }
  fs::path labels = is_inside ? root : fs::path();
  for (const fs::path& part : parts) labels /= part;
  return labels.replace_extension(".txt");
}

class Finder {
 public:
  Finder(const YoloLayout& layout, SplitName split) : layout_(layout), split_(split) {}

  YoloPictures run() {
    for (const std::string& text : layout_.of(split_)) {
      const fs::path place = found_place(layout_.root, text);
      if (place.empty()) {
        raise(Fault::data, "{}: {} is {}, which is not there; try: the path below {}",
              layout_.description.string(), word_of(split_), text, layout_.root.string());
      }
      const size_t before = paths_.size() + missing_.size();
      is_folder(place) ? add_folder(place) : add_list(place);
      if (paths_.size() + missing_.size() == before) {
        raise(Fault::data, "{} has no pictures; try: files that end in .jpg, .png, .bmp or .webp",
              place.string());
      }
    }
    return finish();
  }

 private:
  void add_folder(const fs::path& folder) {
    only_folder_ = layout_.of(split_).size() == 1 ? folder : fs::path();
    for (const fs::path& path : files_below(folder, Fault::data)) {
      if (names_picture(path)) paths_.push_back(path);
    }
  }

  void add_list(const fs::path& list) {
    const std::vector<std::string> lines = split(read_file(list, Fault::data), '\n');
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string name = lines[i];
      while (!name.empty() && (name.back() == '\r' || name.back() == ' ')) name.pop_back();
      if (name.empty()) continue;
      fs::path path = found_place(list.parent_path(), name);
      if (path.empty()) path = found_place(layout_.root, name);
      if (path.empty()) {
        missing_.push_back({name, list.string() + ":" + std::to_string(i + 1)});
      } else {
        paths_.push_back(std::move(path));
      }
    }
  }

  YoloPictures finish() {
    YoloPictures found;
    found.folder = only_folder_.empty() ? layout_.root.lexically_normal() : only_folder_;
    std::ranges::sort(paths_);
    const auto repeated = std::ranges::unique(paths_);
    paths_.erase(repeated.begin(), repeated.end());
    for (const fs::path& path : paths_) {
      const fs::path inside = path.lexically_relative(found.folder);
      const bool is_inside = !inside.empty() && *inside.begin() != "..";
      found.pictures.push_back({.name = (is_inside ? inside : path).string(),
                                .path = path,
                                .labels = labels_of(path, layout_.root.lexically_normal()),
                                .listed = ""});
    }
    for (const auto& [name, where] : missing_) {
      found.pictures.push_back({.name = name, .path = "", .labels = "", .listed = where});
    }
    std::ranges::sort(found.pictures, {}, &YoloPicture::name);
    return found;
  }

  const YoloLayout& layout_;
  SplitName split_;
  fs::path only_folder_;  // if the split is this one folder
  std::vector<fs::path> paths_;
  std::vector<std::pair<std::string, std::string>> missing_;  // name, and where it is listed
};

}  // namespace

YoloPictures find_yolo_pictures(const YoloLayout& layout, SplitName split) {
  return Finder(layout, split).run();
}

}  // namespace convoy
