// Finds run directories below a folder, and reads the options that a run recorded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace convoy {

struct FoundRun {
  fs::path path;
  std::string name;  // its path below the folder; of the folder itself, its own name
};

struct FoundRuns {
  std::vector<FoundRun> runs;         // sorted by name
  std::vector<std::string> problems;  // a line for each folder that cannot be read
};

// Whether the folder is a run directory: it has an args.yml.
bool is_run_dir(const fs::path& folder);

// All run directories below `folder`, at most 8 folders deep, or `folder` itself if it is one.
// Links, which may lead out of `folder`, hidden folders and what is inside a run are not entered. A
// `folder` that cannot be read is Fault::usage.
FoundRuns find_runs(const fs::path& folder);

// A line of args.yml.
struct RecordedOption {
  std::string section, key;
  std::string value;   // as in the file
  std::string text;    // as the option takes it; as in the file if that is damaged
  std::string origin;  // "default", "command line", a recipe, …
  bool is_default() const { return origin == "default"; }
};
// In the order of the file. Lines that are none of options are passed over; a file that cannot be
// read is Fault::checkpoint.
std::vector<RecordedOption> recorded_options(const fs::path& run);
std::vector<RecordedOption> parse_recorded_options(std::string_view args);

}  // namespace convoy
