#include "data/coco/coco_layout.h"

#include <algorithm>
#include <array>

#include "base/files/folder.h"
#include "base/text/some_of.h"
#include "data/sources/data_file.h"

namespace convoy {
namespace {

constexpr std::string_view file_start = "instances_";
constexpr const char* roboflow_file = "_annotations.coco.json";

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// How the names of files and folders of a split begin.
std::string_view start_of(SplitName split) {
  return split == SplitName::whole ? "default" : word_of(split);
}

// Files like annotations/instances_train2017.json.
std::vector<fs::path> published(const fs::path& dir, SplitName split) {
  const std::string start = std::string(file_start) + std::string(start_of(split));
  for (const char* folder : {"annotations", "raw-data/annotations"}) {
    std::vector<fs::path> found;
    std::error_code code;
    for (fs::directory_iterator entry(dir / folder, code), end; !code && entry != end;
         entry.increment(code)) {
      const std::string name = in_small_letters(entry->path().filename().string());
      if (name.starts_with(start) && name.ends_with(".json")) found.push_back(entry->path());
    }
    std::ranges::sort(found);
    if (!found.empty()) return found;
  }
  return {};
}

// A file beside the pictures of its split.
std::vector<fs::path> of_roboflow(const fs::path& dir, SplitName split) {
  std::vector<std::string> folders{std::string(word_of(split))};
  if (split == SplitName::val) folders.emplace_back("valid");
  if (split == SplitName::whole) folders = {"."};
  for (const std::string& folder : folders) {
    const fs::path file = (dir / folder / roboflow_file).lexically_normal();
    std::error_code code;
    if (fs::is_regular_file(file, code)) return {file};
  }
  return {};
}

std::vector<fs::path> of_label_studio(const fs::path& dir) {
  std::error_code code;
  const fs::path file = dir / "result.json";
  if (!is_folder(dir / "images") || !fs::is_regular_file(file, code)) return {};
  return {file};
}

}  // namespace

std::vector<fs::path> coco_annotation_files(const fs::path& dir, SplitName split) {
  std::vector<fs::path> found = published(dir, split);
  if (found.empty()) found = of_roboflow(dir, split);
  if (found.empty() && split == SplitName::whole) found = of_label_studio(dir);
  return found;
}

fs::path the_annotation_file(const fs::path& dir, SplitName split) {
  const std::vector<fs::path> found = coco_annotation_files(dir, split);
  if (found.empty()) {
    const bool train = split == SplitName::train;
    raise(Fault::data,
          "{} has no annotations of the {} set; try: annotations/instances_{}2017.json",
          dir.string(), train ? "training" : "validation", train ? "train" : "val");
  }
  if (found.size() > 1) {
    std::vector<std::string> names;
    for (const fs::path& file : found) names.push_back(file.filename().string());
    raise(Fault::data, "{} has several annotation files of one split, {}; try: leave one of them",
          found.front().parent_path().string(), some_of(names, 3));
  }
  return found.front();
}

CocoFiles find_coco(const fs::path& dir, SplitName split) {
  const fs::path file = the_annotation_file(dir, split);
  const std::string stem = file.stem().string();
  if (!in_small_letters(stem).starts_with(file_start)) return {file, file.parent_path()};
  const std::string name = stem.substr(file_start.size());
  const fs::path above = file.parent_path().parent_path();
  for (const fs::path& folder : {above / name, above / "images" / name, above / "images"}) {
    if (is_folder(folder)) return {file, folder};
  }
  raise(Fault::data, "{} is there, but no folder {} with its pictures; try: {}", file.string(),
        (above / name).string(), (above / "images" / name).string());
}

bool is_coco_name(std::string_view name) {
  return name == "annotations" || name == "raw-data" || name == "images" ||
         name.starts_with("train") || name.starts_with("val") || name.starts_with("test");
}

}  // namespace convoy
