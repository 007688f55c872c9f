#include "launch/process_tree.h"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "base/file.h"
#include "config/value.h"

namespace convoy {
namespace {

// The parent's number: the second word after the name, which is in brackets and may hold anything.
pid_t parent_of(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');
  if (name_end == line.npos || name_end + 4 >= line.size()) return -1;
  return static_cast<pid_t>(std::atoi(line.c_str() + name_end + 4));
}

}  // namespace

std::vector<pid_t> process_tree(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code gone;
  for (fs::directory_iterator entry("/proc", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    int pid = 0;
    if (!parse_value(entry->path().filename().string(), pid).empty()) continue;
    children.emplace(parent_of(entry->path()), pid);
  }
  std::vector<pid_t> tree{root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const auto [begin, end] = children.equal_range(tree[i]);
    for (auto child = begin; child != end; ++child) tree.push_back(child->second);
  }
  return tree;
}

void kill_tree(pid_t root) {
  // Every pass may find those that were started during the last one.
  size_t known = 0;
  std::vector<pid_t> tree = process_tree(root);
  while (tree.size() != known) {
    for (const pid_t pid : tree) ::kill(pid, SIGSTOP);
    known = tree.size();
    tree = process_tree(root);
  }
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
}

}  // namespace convoy
