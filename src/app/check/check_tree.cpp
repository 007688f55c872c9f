#include "app/check/check_tree.h"

#include <algorithm>
#include <tuple>

#include "app/prepare/journal.h"
#include "base/error.h"
#include "base/files/folder.h"

namespace convoy {
namespace {

bool is_split(std::string_view name) {
  return is_training_split(name) || name == "val" || name == "validation" || name == "img_val" ||
         name == "test";
}

std::string name_of(const FolderEntry& entry) { return entry.path.filename().string(); }

class Walk {
 public:
  explicit Walk(Tree& tree) : tree_(tree), trail_(tree.root) { trail_.enter(tree.root); }

  void splits() {
    const std::vector<FolderEntry> entries = folder_entries(tree_.root, Fault::data);
    const bool has_splits = std::ranges::any_of(entries, [](const FolderEntry& entry) {
      return entry.is_folder && is_split(name_of(entry));
    });
    if (!has_splits) {
      tree_.splits.emplace_back();
      return classes("", "");
    }
    for (const FolderEntry& entry : entries) {
      const std::string name = name_of(entry);
      if (!entry.is_folder) {
        add(name, "", "");
      } else if (is_split(name)) {
        tree_.splits.push_back(name);
        if (!trail_.enter(tree_.root / name)) continue;  // a link to the dataset itself
        classes(name + "/", name);
        trail_.leave();
      } else {
        below(name, "", "");
      }
    }
  }

 private:
  void add(std::string path, const std::string& split, const std::string& label) {
    tree_.files.push_back({.path = std::move(path), .split = split, .label = label});
  }

  void classes(const std::string& folder, const std::string& split) {
    for (const FolderEntry& entry : folder_entries(tree_.root / folder, Fault::data)) {
      const std::string name = name_of(entry);
      if (entry.is_folder) {
        tree_.classes.push_back({split, name});
        below(folder + name, split, name);
      } else {
        add(folder + name, split, "");
      }
    }
  }

  void below(const std::string& folder, const std::string& split, const std::string& label) {
    if (!trail_.enter(tree_.root / folder)) {
      tree_.circles.push_back(folder);
      return;
    }
    for (const FolderEntry& entry : folder_entries(tree_.root / folder, Fault::data)) {
      const std::string path = folder + "/" + name_of(entry);
      if (entry.is_folder) {
        below(path, split, label);
      } else {
        add(path, split, label);
      }
    }
    trail_.leave();
  }

  Tree& tree_;
  FolderTrail trail_;
};

}  // namespace

bool is_training_split(std::string_view name) { return name == "train" || name == "img_train"; }

Tree list_tree(const fs::path& root) {
  std::error_code code;
  const fs::file_type type = fs::status(root, code).type();
  if (type == fs::file_type::not_found) {
    raise(Fault::data, "there is no folder {}; try: check how it is spelled", root.string());
  }
  if (code) raise_file_error("look into", root, code.value(), Fault::data);
  if (type != fs::file_type::directory) {
    raise(Fault::data, "{} is a file and no folder; try: the folder it is in", root.string());
  }
  Tree tree{.root = root};
  Walk(tree).splits();
  // Files that `convoy prepare` writes beside the pictures are expected.
  std::erase_if(tree.files, [](const TreeFile& file) {
    return file.path == journal_name || file.path == "synsets.txt";
  });
  std::sort(tree.files.begin(), tree.files.end(),
            [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  std::sort(tree.classes.begin(), tree.classes.end(),
            [](const ClassFolder& a, const ClassFolder& b) {
              return std::tie(a.split, a.label) < std::tie(b.split, b.label);
            });
  std::sort(tree.circles.begin(), tree.circles.end());
  return tree;
}

}  // namespace convoy
