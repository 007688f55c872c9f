#include "app/check/check_records.h"

#include <algorithm>
#include <set>

#include "data/coco/coco_records.h"
#include "data/sources/record_shards.h"
#include "data/sources/record_source.h"

namespace convoy {
namespace {

// The path relative to the root.
std::string inside(const std::string& path, const fs::path& root) {
  const std::string front = (root / "").string();
  return path.starts_with(front) ? path.substr(front.size()) : path;
}

// The name of the shard's folder if that is a split, else the name of ImageNet's split.
std::string split_of(const std::string& shard, bool train, const Tree& tree) {
  const std::string folder = fs::path(shard).parent_path().string();
  const auto& splits = tree.splits;
  const bool is_split = std::find(splits.begin(), splits.end(), folder) != splits.end();
  if (is_split && !folder.empty()) return folder;
  return train ? "train" : "val";
}

}  // namespace

void list_records(Tree& tree, int threads) {
  std::set<std::string> shards;
  std::vector<TreeFile> found;
  for (const bool train : {true, false}) {
    if (!has_records(tree.root, train)) continue;
    const std::vector<fs::path> paths = record_shards(tree.root, train);
    for (const fs::path& path : paths) shards.insert(inside(path.string(), tree.root));
    const std::string split = split_of(inside(paths.front().string(), tree.root), train, tree);
    auto& records = *tree.records.emplace_back(std::make_unique<RecordSplit>());
    records.pictures = has_coco_records(tree.root, train)
                           ? open_coco_records(tree.root, train, threads)
                           : open_records(tree.root, train, threads);
    records.class_names = records.pictures->class_names();
    for (int64_t i = 0; i < records.pictures->size(); ++i) {
      found.push_back({.path = inside(records.pictures->origin(i), tree.root),
                       .split = split,
                       .label = "",
                       .records = &records,
                       .index = i});
    }
    tree.splits.push_back(split);
  }
  if (found.empty()) return;
  const bool has_objects = tree.records.front()->pictures->has_objects();
  std::erase_if(tree.files, [&](const TreeFile& file) {
    const bool is_annotation = has_objects && file.path.starts_with("raw-data/");
    return is_annotation || shards.contains(file.path);
  });
  std::erase_if(tree.splits, [](const std::string& split) { return split.empty(); });
  std::sort(tree.splits.begin(), tree.splits.end());
  tree.splits.erase(std::unique(tree.splits.begin(), tree.splits.end()), tree.splits.end());
  // Folders that contained only shards are not classes.
  const auto has_files = [&](const ClassFolder& folder) {
    const std::string front = (folder.split.empty() ? "" : folder.split + "/") + folder.label + "/";
    return std::any_of(tree.files.begin(), tree.files.end(),
                       [&](const TreeFile& file) { return file.path.starts_with(front); });
  };
  std::erase_if(tree.classes, [&](const ClassFolder& folder) { return !has_files(folder); });
  tree.files.insert(tree.files.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
}

}  // namespace convoy
