#include "data/dataset.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "data/sources/data_folder.h"

namespace convoy {

const DatasetDef& find_dataset(std::string_view name) {
  std::vector<std::string> names;
  for (const DatasetDef& def : dataset_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  const std::string near = nearest(name, names);
  raise(Fault::usage, "unknown dataset '{}'{}; try: --dataset {}", name,
        near.empty() ? "" : ", did you mean '" + near + "'?", join(names, "|"));
}

std::string usual_folder(const DatasetDef& def) {
  const char* folder = std::getenv("DATA_DIR");
  return std::string(!def.default_folder.empty() ? def.default_folder : folder ? folder : "");
}

std::unique_ptr<Dataset> open_dataset(std::string_view name, DatasetSpec spec) {
  const DatasetDef& def = find_dataset(name);
  if (def.has_files && spec.data_dir.empty()) {
    spec.data_dir = usual_folder(def);
    if (spec.data_dir.empty()) {
      raise(Fault::usage, "the dataset {} needs a folder; try: --data-dir FOLDER, or set DATA_DIR",
            name);
    }
  }
  if (def.has_files) expect_folder(spec.data_dir);
  return def.open(spec);
}

namespace {

// The dataset that the name of a folder, or of one above it, contains; empty: none.
std::string_view spoken_of(const fs::path& path) {
  std::string text = path.string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const auto speaks_of = [&](std::string_view word) { return text.find(word) != text.npos; };
  if (speaks_of("imagenet")) return "imagenet";
  if (speaks_of("cifar100") || speaks_of("cifar-100")) return "cifar-100";
  if (speaks_of("cifar")) return "cifar-10";
  if (speaks_of("fashion")) return "fashion-mnist";
  return {};
}

}  // namespace

std::optional<std::string> recognise_dataset(const fs::path& folder) {
  for (const DatasetDef& def : dataset_catalog()) {
    if (!def.is_in || !def.is_in(folder)) continue;
    const bool is_folders = def.name == "imagefolder" && spoken_of(folder) == "imagenet";
    return std::string(is_folders ? "imagenet" : def.name);
  }
  return std::nullopt;
}

std::string infer_dataset(const std::string& path) {
  if (const std::optional<std::string> found = recognise_dataset(path)) return *found;
  const std::string_view said = spoken_of(path);
  if (said.empty()) refuse_folder(path);
  return std::string(said);
}

}  // namespace convoy
