// `convoy report`: one page about one or several runs, from the files of their folders.

#include <algorithm>

#include "app/command.h"
#include "app/options.h"
#include "app/runs/run_output.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/show.h"
#include "base/text/text.h"
#include "report/results/run_plots.h"
#include "report/traces/trace_text.h"
#include "train/run/run_dir.h"

namespace convoy {
namespace {

struct Options {
  std::string output;
  bool trace = false, json = false;
  int top = 15;

  void describe(Fields& field) {
    field("output", output,
          "folder for report.html and its pictures, or the name of an .html file; empty: plots/ of "
          "the run, or report/ for several runs");
    field("trace", trace,
          "print instead where the time of traced steps goes (train --profile), and what to do "
          "about it");
    field("top", top, "with --trace: the slowest N ops of each rank; 0: all", at_least(0));
    field("json", json, "with --trace: print one JSON object");
    field.needs("top", trace, "--trace", {"trace"});
    field.needs("json", trace, "--trace", {"trace"});
    field.needs("output", !trace, "no --trace", {"trace"});
  }
};

// Where the page is written.
fs::path page_path(const Options& options, const std::vector<std::string>& runs) {
  const fs::path given = options.output;
  if (given.extension() == ".html") return given;
  if (!given.empty()) return given / "report.html";
  return (runs.size() == 1 ? fs::path(runs[0]) / "plots" : fs::path("report")) / "report.html";
}

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.empty()) {
    raise(Fault::usage, "report needs one run directory or several; try: convoy report runs/demo");
  }
  for (const std::string& word : line.words) RunDir::look(word);
  if (options.trace) {
    for (const std::string& word : line.words) {
      const std::vector<TracedRank> ranks = read_traces_of(word);
      show_text(options.json ? trace_json(ranks, options.top) : trace_text(ranks, options.top));
    }
    return 0;
  }
  const std::vector<std::string> names = names_of_runs(line.words);
  std::vector<NamedRun> runs;
  for (size_t i = 0; i < names.size(); ++i) runs.push_back({line.words[i], names[i]});
  const fs::path page = page_path(options, line.words);
  write_report(runs, page);
  show("{}\n", page.string());
  return 0;
}

}  // namespace

CommandDef report_command() {
  return {.name = "report",
          .summary = "write a page about one or several runs: curves, options, environment",
          .usage = "report RUN_DIR... [--output FOLDER|FILE.html | --trace]",
          .details =
              R"(The page is one HTML file that loads nothing: it can be sent, opened from a disk,
and printed. Several runs are shown side by side, and what differs is marked.

  convoy report runs/demo                          runs/demo/plots/report.html
  convoy report runs/a runs/b --output both.html
  convoy report runs/demo --trace --top 10         where the time of traced steps goes
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
