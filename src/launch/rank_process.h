// What a process does first when `convoy launch` started it as a rank, and what the two say to each
// other: environment variables down, marked lines on the standard error up.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace convoy {

constexpr std::string_view error_mark = "convoy: error: ";
constexpr std::string_view run_dir_mark = "convoy: run directory ";

struct RankSettings {
  std::string bind = "core";  // core, numa or none
  int threads = 0;            // of each rank; 0: its share of the cores
  bool oversubscribe = false;

  // For the ranks' environment.
  std::map<std::string, std::string> environment() const;
};

// Takes this rank's share of the host's cores, as CONVOY_BIND, CONVOY_THREADS_PER_RANK and
// CONVOY_OVERSUBSCRIBE say; nothing without CONVOY_BIND. Must come before the first thread.
void take_share_of_cores();

// Whether `convoy launch` reads what this process says.
bool is_launched();
// Tells `convoy launch` what to resume.
void tell_run_dir(const std::string& path);

}  // namespace convoy
