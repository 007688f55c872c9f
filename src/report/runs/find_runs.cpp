#include "report/runs/find_runs.h"

#include <algorithm>
#include <map>

#include "base/files/folder.h"
#include "config/yaml.h"
#include "report/runs/followed_file.h"

namespace convoy {
namespace {

constexpr int most_depth = 8;
constexpr uint64_t most_args_bytes = uint64_t{1} << 20;

class Search {
 public:
  explicit Search(const fs::path& root) : root_(root) {}

  FoundRuns run() {
    if (is_run_dir(root_)) {
      add(root_, fs::absolute(root_).lexically_normal());
    } else {
      enter(folder_entries(root_, Fault::usage), 1);
    }
    std::ranges::sort(found_.runs, {}, &FoundRun::name);
    return std::move(found_);
  }

 private:
  void add(const fs::path& path, const fs::path& named) {
    // "runs/" has an empty last part.
    const fs::path last = named.has_filename() ? named.filename() : named.parent_path().filename();
    found_.runs.push_back(
        {path, path == root_ ? last.string() : path.lexically_relative(root_).generic_string()});
  }

  void enter(const std::vector<FolderEntry>& entries, int depth) {
    for (const FolderEntry& entry : entries) {
      if (std::error_code none; !entry.is_folder || fs::is_symlink(entry.path, none)) continue;
      if (is_run_dir(entry.path)) {
        add(entry.path, entry.path);
      } else if (depth < most_depth) {
        try {
          enter(folder_entries(entry.path, Fault::usage), depth + 1);
        } catch (const Error& error) {
          found_.problems.emplace_back(error.what());
        }
      }
    }
  }

  fs::path root_;
  FoundRuns found_;
};

void add_texts(std::string_view args, std::vector<RecordedOption>& options) {
  std::map<std::string, std::string> texts;
  try {
    for (YamlEntry& entry : read_yaml(args, "args.yml", Fault::checkpoint)) {
      texts[entry.key] = std::move(entry.text);
    }
  } catch (const Error&) {
    return;
  }
  for (RecordedOption& option : options) {
    if (const auto found = texts.find(option.key); found != texts.end())
      option.text = found->second;
  }
}

}  // namespace

bool is_run_dir(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(folder / "args.yml", failed);
}

FoundRuns find_runs(const fs::path& folder) { return Search(folder).run(); }

std::vector<RecordedOption> parse_recorded_options(std::string_view args) {
  std::vector<RecordedOption> options;
  std::string section;
  bool is_head = true;
  for_each_line(args, [&](std::string_view line) {
    if (line.empty()) {
      is_head = false;  // the first lines explain the file
      return;
    }
    if (line.starts_with("# ")) {
      if (!is_head) section = line.substr(2);
      return;
    }
    const size_t colon = line.find(": "), origin = line.rfind("  # ");
    if (colon == line.npos || origin == line.npos || origin < colon + 1) return;
    const size_t begin = std::min(colon + 2, origin);
    const std::string value(line.substr(begin, origin - begin));
    options.push_back({section, std::string(line.substr(0, colon)), value, value,
                       std::string(line.substr(origin + 4))});
  });
  add_texts(args, options);
  return options;
}

std::vector<RecordedOption> recorded_options(const fs::path& run) {
  return parse_recorded_options(first_lines(run / "args.yml", most_args_bytes));
}

}  // namespace convoy
