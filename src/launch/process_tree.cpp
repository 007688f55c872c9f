#include "launch/process_tree.h"

#include <signal.h>

#include <fstream>
#include <map>
#include <string>

#include "base/files/file.h"
#include "config/value.h"

namespace convoy {
namespace {

// The fields after the name in /proc/PID/stat: "S 4711 ..." (state, parent …). The name is in
// brackets and may contain anything. Empty: no such process.
std::string state_line(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string line;
  std::getline(file, line);
  const size_t name_end = line.rfind(')');
  return name_end == line.npos || name_end + 4 >= line.size() ? "" : line.substr(name_end + 2);
}

pid_t parent_of(const fs::path& folder) {
  const std::string line = state_line(folder);
  return line.empty() ? -1 : static_cast<pid_t>(std::atoi(line.c_str() + 2));
}

fs::path folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

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
  // Repeats until no pass finds processes started during the one before.
  size_t known = 0;
  std::vector<pid_t> tree = process_tree(root);
  while (tree.size() != known) {
    for (const pid_t pid : tree) ::kill(pid, SIGSTOP);
    known = tree.size();
    tree = process_tree(root);
  }
  for (const pid_t pid : tree) ::kill(pid, SIGKILL);
}

bool is_stopped(pid_t pid) {
  const std::string line = state_line(folder_of(pid));
  return !line.empty() && (line[0] == 'T' || line[0] == 't');
}

int rank_of_process(pid_t pid) {
  constexpr std::string_view name = "OMPI_COMM_WORLD_RANK=";
  std::ifstream file(folder_of(pid) / "environ");
  for (std::string word; std::getline(file, word, '\0');) {
    int rank = -1;
    if (word.starts_with(name) && parse_value(word.substr(name.size()), rank).empty()) return rank;
  }
  return -1;
}

}  // namespace convoy
