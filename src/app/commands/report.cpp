// `convoy report`: one page about one or several runs, from the files of their folders.

#include <algorithm>

#include "app/command.h"
#include "app/options.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "base/text/text.h"
#include "report/page/report_page.h"
#include "train/run/run_dir.h"

namespace convoy {
namespace {

struct Options {
  std::string output;

  void describe(Fields& field) {
    field("output", output,
          "folder for report.html and its pictures, or the name of an .html file; empty: plots/ of "
          "the run, or report/ for several runs");
  }
};

// Where the page is written.
fs::path page_path(const Options& options, const std::vector<std::string>& runs) {
  const fs::path given = options.output;
  if (given.extension() == ".html") return given;
  if (!given.empty()) return given / "report.html";
  return (runs.size() == 1 ? fs::path(runs[0]) / "plots" : fs::path("report")) / "report.html";
}

// The names of the runs: their last folders, or as typed where two would be equal.
std::vector<std::string> names_of(const std::vector<std::string>& runs) {
  std::vector<std::string> names;
  for (const std::string& run : runs) {
    const fs::path path = fs::absolute(run).lexically_normal();
    names.push_back((path.has_filename() ? path : path.parent_path()).filename().string());
  }
  std::vector<std::string> unique = names;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = runs[i];
  }
  return unique;
}

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.empty()) {
    raise(Fault::usage, "report needs one run directory or several; try: convoy report runs/demo");
  }
  for (const std::string& word : line.words) RunDir::look(word);
  const std::vector<std::string> names = names_of(line.words);
  std::vector<ReportedRun> runs;
  for (size_t i = 0; i < names.size(); ++i) {
    runs.push_back(reported_run(line.words[i], names[i]));
  }
  const fs::path page = page_path(options, line.words);
  if (page.has_parent_path()) make_folders(page.parent_path(), Fault::usage);
  write_atomically(page, report_page(runs), Fault::usage);
  show("{}\n", page.string());
  return 0;
}

}  // namespace

CommandDef report_command() {
  return {.name = "report",
          .summary = "write a page about one or several runs: curves, options, environment",
          .usage = "report RUN_DIR... [--output FOLDER|FILE.html]",
          .details =
              R"(The page is one HTML file that loads nothing: it can be sent, opened from a disk,
and printed. Several runs are shown side by side, and what differs is marked.

  convoy report runs/demo                          runs/demo/plots/report.html
  convoy report runs/a runs/b --output both.html
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
