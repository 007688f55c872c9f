#include "data/voc/voc_layout.h"

#include <algorithm>

#include "base/files/folder.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

bool is_annotation(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".xml" || ending == ".XML";
}

// Whether a folder has annotations directly in it.
bool has_annotations(const fs::path& folder) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    if (is_annotation(entry->path())) return true;
  }
  return false;
}

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

std::vector<std::string> names_of(SplitName split) {
  if (split == SplitName::train) return {"train", "Train"};
  if (split == SplitName::val) return {"val", "valid", "validation", "Validation"};
  if (split == SplitName::test) return {"test", "Test"};
  return {};
}

// The annotations and pictures of a folder as published.
std::optional<VocPlace> published(const fs::path& dir) {
  if (!is_folder(dir / "Annotations")) return std::nullopt;
  for (const char* pictures : {"JPEGImages", "images", "Images"}) {
    if (is_folder(dir / pictures)) return VocPlace{dir / "Annotations", dir / pictures, ""};
  }
  return std::nullopt;
}

fs::path list_of(const fs::path& dir, SplitName split) {
  for (const std::string& name : names_of(split)) {
    const fs::path list = dir / "ImageSets" / "Main" / (name + ".txt");
    if (is_file(list)) return list;
  }
  return {};
}

std::vector<VocFile> files_of(const fs::path& folder, bool (*is_wanted)(const fs::path&)) {
  std::vector<VocFile> found;
  for (const fs::path& path : files_below(folder, Fault::data)) {
    if (!is_wanted(path)) continue;
    const fs::path inside = path.lexically_relative(folder);
    fs::path name = inside;
    found.push_back({name.replace_extension().string(), inside.string()});
  }
  std::ranges::sort(found, [](const VocFile& a, const VocFile& b) {
    return a.name != b.name ? a.name < b.name : a.file < b.file;
  });
  return found;
}

}  // namespace

std::optional<VocPlace> find_voc(const fs::path& dir, SplitName split) {
  if (std::optional<VocPlace> place = published(dir)) {
    if (split == SplitName::whole) return place;
    place->list = list_of(dir, split);
    return place->list.empty() ? std::nullopt : place;
  }
  if (split == SplitName::whole) {
    return has_annotations(dir) ? std::optional(VocPlace{dir, dir, ""}) : std::nullopt;
  }
  for (const std::string& name : names_of(split)) {
    if (has_annotations(dir / name)) return VocPlace{dir / name, dir / name, ""};
  }
  return std::nullopt;
}

std::vector<fs::path> voc_annotation_folders(const fs::path& dir) {
  if (published(dir)) return {dir / "Annotations"};
  std::vector<fs::path> folders;
  for (const Word<SplitName>& word : words_of(SplitName{})) {
    if (const std::optional<VocPlace> place = find_voc(dir, word.value)) {
      folders.push_back(place->annotations);
    }
  }
  return folders;
}

std::vector<std::string> voc_class_list(const fs::path& dir) {
  const fs::path file = dir / "labelmap.txt";
  if (!is_file(file)) return {};
  std::vector<std::string> names;
  for (std::string line : split(read_file(file, Fault::data), '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    for (int field = 0; field < 3; ++field) line.resize(std::min(line.rfind(':'), line.size()));
    if (line.empty()) {
      raise(Fault::data, "{} has a line without a class; try: name:::", file.string());
    }
    if (line == "background") continue;
    if (std::ranges::find(names, line) != names.end()) {
      raise(Fault::data, "{} has the class {:?} twice; try: one line for each", file.string(),
            line);
    }
    names.push_back(line);
  }
  if (names.empty()) raise(Fault::data, "{} has no classes; try: without it", file.string());
  return names;
}

std::vector<VocFile> voc_annotation_files(const fs::path& folder) {
  return files_of(folder, is_annotation);
}

std::vector<VocFile> voc_picture_files(const fs::path& folder) {
  return files_of(folder, names_picture);
}

std::vector<std::string> read_voc_list(const fs::path& file) {
  std::vector<std::string> names;
  for (std::string line : split(read_file(file, Fault::data), '\n')) {
    const size_t end = line.find_last_not_of(" \t\r");
    line.resize(end == line.npos ? 0 : end + 1);
    if (line.size() > 1 && line.starts_with('"') && line.ends_with('"')) {
      line = line.substr(1, line.size() - 2);  // as CVAT writes names with blanks
    }
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

}  // namespace convoy
