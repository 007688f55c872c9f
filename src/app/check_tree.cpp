#include "app/check_tree.h"

#include <algorithm>
#include <tuple>

#include "app/prepare/journal.h"
#include "base/error.h"

namespace convoy {
namespace {

bool is_split(std::string_view name) {
  return is_training_split(name) || name == "val" || name == "validation" || name == "img_val" ||
         name == "test";
}

struct Entry {
  std::string name;
  bool is_folder;
};

std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code trouble;
  for (fs::directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    std::error_code ignored;  // a link to nowhere is a file that cannot be read
    std::string name = at->path().filename().string();
    if (!name.starts_with('.')) entries.push_back({std::move(name), at->is_directory(ignored)});
  }
  if (trouble) {
    raise(Fault::data, "{}: {}; try: another folder", folder.string(), trouble.message());
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

class Walk {
 public:
  explicit Walk(Tree& tree) : tree_(tree) {}

  void splits() {
    const std::vector<Entry> entries = entries_of(tree_.root);
    const bool has_splits = std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
      return entry.is_folder && is_split(entry.name);
    });
    if (!has_splits) {
      tree_.splits.emplace_back();
      return classes("", "");
    }
    for (const Entry& entry : entries) {
      if (!entry.is_folder) {
        add(entry.name, "", "");
      } else if (is_split(entry.name)) {
        tree_.splits.push_back(entry.name);
        classes(entry.name + "/", entry.name);
      } else {
        below(entry.name + "/", "", "");
      }
    }
  }

 private:
  void add(std::string path, const std::string& split, const std::string& label) {
    tree_.files.push_back({.path = std::move(path), .split = split, .label = label});
  }

  void classes(const std::string& folder, const std::string& split) {
    for (const Entry& entry : entries_of(tree_.root / folder)) {
      if (entry.is_folder) {
        tree_.classes.push_back({split, entry.name});
        below(folder + entry.name + "/", split, entry.name);
      } else {
        add(folder + entry.name, split, "");
      }
    }
  }

  void below(const std::string& folder, const std::string& split, const std::string& label) {
    std::error_code ignored;
    const fs::path real = fs::canonical(tree_.root / folder, ignored);
    if (std::find(inside_.begin(), inside_.end(), real) != inside_.end()) return;
    inside_.push_back(real);
    for (const Entry& entry : entries_of(tree_.root / folder)) {
      if (entry.is_folder) {
        below(folder + entry.name + "/", split, label);
      } else {
        add(folder + entry.name, split, label);
      }
    }
    inside_.pop_back();
  }

  Tree& tree_;
  std::vector<fs::path> inside_;  // the folders that are open, links resolved
};

}  // namespace

bool is_training_split(std::string_view name) { return name == "train" || name == "img_train"; }

Tree list_tree(const fs::path& root) {
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) {
    raise(Fault::data, "{} is no folder; try: the folder that holds train and val", root.string());
  }
  Tree tree{.root = root};
  Walk(tree).splits();
  // What `convoy prepare` writes beside the pictures is nothing to remark on.
  std::erase_if(tree.files, [](const TreeFile& file) {
    return file.path == journal_name || file.path == "synsets.txt";
  });
  std::sort(tree.files.begin(), tree.files.end(),
            [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  std::sort(tree.classes.begin(), tree.classes.end(),
            [](const ClassFolder& a, const ClassFolder& b) {
              return std::tie(a.split, a.label) < std::tie(b.split, b.label);
            });
  return tree;
}

}  // namespace convoy
