#include "data/dataset.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/text.h"
#include "data/objects.h"
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

bool Dataset::has_objects() const {
  const TensorList all = tensors();
  return std::ranges::any_of(
      all, [](const auto& tensor) { return tensor.first == object_tensor::image_id; });
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

// The length of the longest of the set's words that the path contains; 0: it contains none.
size_t named_by(const fs::path& path, const DatasetDef& def) {
  std::string text = path.string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  size_t longest = 0;
  for (const std::string_view word : def.path_words) {
    if (text.find(word) != text.npos) longest = std::max(longest, word.size());
  }
  return longest;
}

}  // namespace

std::optional<std::string> recognise_dataset(const fs::path& folder) {
  const DatasetDef* best = nullptr;
  size_t longest = 0;
  for (const DatasetDef& def : dataset_catalog()) {
    if (!def.is_in || !def.is_in(folder)) continue;
    const size_t length = named_by(folder, def);
    // Folders of pictures with boxes can look like folders of classes.
    const bool is_plainer = best && best->published.objects && !def.published.objects;
    if (is_plainer && length <= longest) continue;
    if (best && length <= longest && (longest > 0 || !def.path_words.empty())) continue;
    best = &def;
    longest = length;
  }
  return best ? std::optional<std::string>(best->name) : std::nullopt;
}

std::string infer_dataset(const std::string& path) {
  if (const std::optional<std::string> found = recognise_dataset(path)) return *found;
  const auto length = [&](const DatasetDef& def) { return named_by(path, def); };
  const DatasetDef& named = *std::ranges::max_element(dataset_catalog(), {}, length);
  if (length(named) == 0) refuse_folder(path);
  return std::string(named.name);
}

}  // namespace convoy
