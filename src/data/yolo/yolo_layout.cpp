#include "data/yolo/yolo_layout.h"

#include <algorithm>
#include <map>

#include "base/files/folder.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"
#include "data/yolo/data_yaml.h"

namespace convoy {
namespace {

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

// Whether the file has keys of a set in its first part.
bool describes_set(const fs::path& file) {
  std::string text;
  try {
    text = read_file(file, Fault::data);
  } catch (const Error&) {
    return false;
  }
  bool has_names = false, has_split = false;
  for (const std::string& line : split(text, '\n')) {
    has_names |= line.starts_with("names:") || line.starts_with("nc:");
    has_split |= line.starts_with("train:") || line.starts_with("val:");
  }
  return has_names && has_split;
}

// data.yaml, or the only other file of its kind.
fs::path yaml_file(const fs::path& dir) {
  for (const char* name : {"data.yaml", "data.yml", "dataset.yaml"}) {
    if (is_file(dir / name) && describes_set(dir / name)) return dir / name;
  }
  std::vector<fs::path> found;
  std::error_code code;
  for (fs::directory_iterator entry(dir, code), end; !code && entry != end; entry.increment(code)) {
    const std::string ending = entry->path().extension().string();
    if (ending != ".yaml" && ending != ".yml") continue;
    if (describes_set(entry->path())) found.push_back(entry->path());
  }
  return found.size() == 1 ? found[0] : fs::path();
}

YoloLayout of_data_yaml(const fs::path& file) {
  DataYaml data = read_data_yaml(read_file(file, Fault::data), file.string());
  YoloLayout layout{.description = file, .names = std::move(data.names)};
  layout.root = file.parent_path();
  // A path of another machine, or relative to another folder: the file itself is where it is.
  if (!data.path.empty() && is_folder(layout.root / data.path)) layout.root /= data.path;
  layout.key_points = data.key_points;
  layout.places[0] = std::move(data.train);
  layout.places[1] = std::move(data.val);
  layout.places[2] = std::move(data.test);
  return layout;
}

// `names = data/obj.names`, `train = data/train.txt`, `valid = ...`.
YoloLayout of_obj_data(const fs::path& file) {
  YoloLayout layout{.description = file, .root = file.parent_path(), .names = {}};
  fs::path names = layout.root / "obj.names";
  for (const std::string& line : split(read_file(file, Fault::data), '\n')) {
    const size_t sign = line.find('=');
    if (sign == line.npos) continue;
    const std::string key = join(split_at_blanks(line.substr(0, sign)), " ");
    const std::string value = join(split_at_blanks(line.substr(sign + 1)), " ");
    if (key == "train") layout.places[0] = {value};
    if (key == "valid") layout.places[1] = {value};
    if (key == "test") layout.places[2] = {value};
    if (key == "names") names = layout.root / fs::path(value).filename();
  }
  layout.names = read_name_lines(read_file(names, Fault::data), names.string());
  return layout;
}

YoloLayout of_classes_txt(const fs::path& file) {
  YoloLayout layout{.description = file,
                    .root = file.parent_path(),
                    .names = read_name_lines(read_file(file, Fault::data), file.string())};
  layout.places[static_cast<size_t>(SplitName::whole)] = {"images"};
  return layout;
}

}  // namespace

bool has_yolo(const fs::path& dir) {
  if (!yaml_file(dir).empty() || (is_file(dir / "obj.data") && is_file(dir / "obj.names"))) {
    return true;
  }
  return is_file(dir / "classes.txt") && is_folder(dir / "images") && is_folder(dir / "labels");
}

std::optional<YoloLayout> find_yolo(const fs::path& dir) {
  if (!has_yolo(dir)) return std::nullopt;
  const fs::path yaml = yaml_file(dir);
  if (!yaml.empty()) return of_data_yaml(yaml);
  if (is_file(dir / "obj.data")) return of_obj_data(dir / "obj.data");
  return of_classes_txt(dir / "classes.txt");
}

}  // namespace convoy
