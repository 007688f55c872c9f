#include "app/prepare/raw_splits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "app/prepare/validation_labels.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "data/classes/record_classes.h"
#include "data/loading/order.h"
#include "data/sources/data_file.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

constexpr std::array train_names{"ILSVRC2012_img_train.tar", "train", "img_train"};
constexpr std::array validation_names{"ILSVRC2012_img_val.tar", "val", "validation", "img_val"};

// The only one of these names that exists in the input.
std::optional<fs::path> the_one(const fs::path& input, std::span<const char* const> names) {
  std::optional<fs::path> found;
  for (const char* name : names) {
    const fs::path path = input / name;
    std::error_code ignored;
    if (!is_there(path)) continue;
    if (found && !fs::equivalent(*found, path, ignored)) {
      raise(Fault::data, "{} and {} are both there; try: move one of them away", found->string(),
            path.string());
    }
    if (!found) found = path;
  }
  return found;
}

RawPictures pictures_at(const fs::path& path, ThreadPool& pool) {
  return is_folder(path) ? raw_folder(path, pool) : raw_tar(path, pool);
}

// Moves a share of each class's pictures to validation, chosen by a keyed permutation of their
// names.
void split(std::vector<RawPicture> pictures, const RawSplitsSpec& spec, RawSplits& splits) {
  uint64_t number = 0;
  for (auto begin = pictures.begin(); begin != pictures.end(); ++number) {
    const auto end = std::find_if(begin, pictures.end(), [&](const RawPicture& p) {
      return p.class_name != begin->class_name;
    });
    const int64_t count = end - begin;
    const auto share = std::llround(spec.val_share * static_cast<double>(count));
    const int64_t wanted =
        std::min<int64_t>(std::max<int64_t>(share, 1), std::max<int64_t>(count - 1, 0));
    const Order order(count, spec.seed, static_cast<int64_t>(number), true);
    std::set<int64_t> chosen;
    for (int64_t i = 0; i < wanted; ++i) chosen.insert(order[i]);
    for (int64_t i = 0; i < count; ++i)
      (chosen.contains(i) ? splits.validation : splits.train).push_back(std::move(begin[i]));
    begin = end;
  }
}

// A folder named train that contains folders is a split; one that contains pictures may be a class.
void refuse_split_already(const fs::path& input) {
  for (const bool train : {true, false}) {
    const std::optional<fs::path> folder = split_folder(input, train);
    if (!folder) continue;
    const std::vector<FolderEntry> entries = folder_entries(*folder, Fault::data);
    if (std::ranges::none_of(entries, &FolderEntry::is_folder)) continue;
    raise(Fault::usage,
          "{} is split already, it has {}: its classes are the folders in there; try: --input {}, "
          "or leave --val-share out",
          input.string(), folder->filename().string(), folder->string());
  }
}

void find_train(const RawSplitsSpec& spec, ThreadPool& pool, RawSplits& splits) {
  const auto path = the_one(spec.input, train_names);
  if (!path) return;
  RawPictures found = pictures_at(*path, pool);
  if (!found.has_classes) {
    raise(Fault::data, "{} has no classes; try: a folder, or a tar, for each of them",
          path->string());
  }
  splits.train = std::move(found.pictures);
  splits.passed_over += found.passed_over;
}

// Returns whether a list of labels was used.
bool find_validation(const RawSplitsSpec& spec, ThreadPool& pool, RawSplits& splits) {
  const auto path = the_one(spec.input, validation_names);
  if (!path) return false;
  RawPictures found = pictures_at(*path, pool);
  splits.passed_over += found.passed_over;
  const bool needs_list = !found.has_classes;
  if (needs_list) {
    std::optional<fs::path> list = find_labels(spec.input);
    if (!spec.validation_labels.empty()) list = spec.validation_labels;
    if (!list) {
      raise(Fault::data,
            "{} has no folders of classes; try: --validation-labels FILE, a list of the synsets of "
            "its pictures",
            path->string());
    }
    apply_labels(*list, found.pictures);
  }
  splits.validation = std::move(found.pictures);
  return needs_list;
}

void find_classes(const RawSplitsSpec& spec, RawSplits& splits) {
  std::optional<std::vector<std::string>> listed = find_class_list(spec.input);
  if (!spec.synsets.empty()) listed = read_class_list(spec.synsets);
  std::set<std::string> classes;
  if (listed) classes.insert(listed->begin(), listed->end());
  for (const auto* pictures : {&splits.train, &splits.validation}) {
    for (const RawPicture& picture : *pictures) {
      if (!listed) {
        classes.insert(picture.class_name);
      } else if (!classes.contains(picture.class_name)) {
        raise(Fault::data, "{}: the class {} is not in the list of classes; try: another --synsets",
              picture.path(), picture.class_name);
      }
    }
  }
  splits.classes.assign(classes.begin(), classes.end());
}

}  // namespace

int64_t RawSplits::label(const std::string& class_name) const {
  return std::ranges::lower_bound(classes, class_name) - classes.begin();
}

bool is_split_name(std::string_view name) {
  return std::ranges::find(train_names, name) != train_names.end() ||
         std::ranges::find(validation_names, name) != validation_names.end();
}

RawSplits find_splits(const RawSplitsSpec& spec, ThreadPool& pool) {
  if (!is_folder(spec.input)) {
    raise(Fault::data,
          "there is no folder {}; try: --input with the folder of the tars or pictures",
          spec.input.string());
  }
  RawSplits splits;
  bool used_list = false;
  if (spec.val_share > 0) {
    refuse_split_already(spec.input);
    RawPictures all = raw_folder(spec.input, pool);
    if (!all.has_classes) {
      raise(Fault::data, "{} has no folders of classes to split; try: a folder for each class",
            spec.input.string());
    }
    splits.passed_over = all.passed_over;
    split(std::move(all.pictures), spec, splits);
  } else {
    find_train(spec, pool, splits);
    used_list = find_validation(spec, pool, splits);
  }
  if (splits.train.empty() && splits.validation.empty()) {
    if (fs::is_empty(spec.input)) {
      raise(Fault::data, "{} is an empty folder; try: --input with the folder of the pictures",
            spec.input.string());
    }
    raise(Fault::data,
          "{} has neither ILSVRC2012_img_train.tar or the folder train, nor ILSVRC2012_img_val.tar "
          "or the folder val; try: another --input, or `prepare folder --val-share 0.1` for one "
          "folder of classes",
          spec.input.string());
  }
  if (!spec.validation_labels.empty() && !used_list) {
    raise(Fault::usage, "--validation-labels does nothing: the validation set {}; try: without it",
          splits.validation.empty() ? "is not there" : "has folders of classes");
  }
  find_classes(spec, splits);
  return splits;
}

}  // namespace convoy
