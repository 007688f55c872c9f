// Reads data.yaml, which describes a set in YOLO's format: where its splits are, and its classes.
// Other programs write it with keys and nesting of their own, so this is not the reader of recipes
// (config/yaml.h): unknown keys are skipped with all that belongs to them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace convoy {

inline constexpr size_t most_data_yaml_bytes = 1 << 20;
inline constexpr size_t most_yolo_classes = 20'000;

struct DataYaml {
  std::string path;                           // the set's folder; empty: the file's own
  std::vector<std::string> train, val, test;  // folders, or files that list pictures
  std::vector<std::string> names;             // of the classes; all different, none empty
  bool key_points = false;                    // labels have key points behind the boxes
};

// `names` may be a list or a map from numbers, in brackets or in lines; without it `nc` says how
// many classes there are. Text that is not YAML, a key twice, no classes, another number of them
// than `nc`, or gaps in their numbers are Fault::data with `origin` and the line.
DataYaml read_data_yaml(std::string_view text, const std::string& origin);

// The elements of `text`, a list of names with one on each line (classes.txt, obj.names).
std::vector<std::string> read_name_lines(std::string_view text, const std::string& origin);

}  // namespace convoy
