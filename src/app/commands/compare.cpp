// `convoy compare`: several runs side by side.

#include "app/command.h"
#include "app/options.h"
#include "app/runs/run_output.h"
#include "base/error.h"
#include "base/show.h"
#include "report/runs/run_tables.h"
#include "train/run/run_dir.h"

namespace convoy {
namespace {

struct Options {
  TableForm form;
  bool all_options = false;

  void describe(Fields& field) {
    form.describe(field);
    field("all-options", all_options, "show also options that are equal, unless they are defaults");
  }
};

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.size() < 2) {
    raise(Fault::usage, "compare needs at least two run directories; try: convoy list runs");
  }
  const std::vector<std::string> names = names_of_runs(line.words);
  for (const std::string& word : line.words) RunDir::look(word);
  std::vector<ComparedRun> runs;
  for (size_t i = 0; i < names.size(); ++i) {
    runs.push_back(compared_run(line.words[i], names[i]));
    for (const std::string& problem : runs.back().facts.problems) {
      show(stderr, "convoy: {}\n", problem);
    }
  }
  options.form.print(comparison_of_runs(runs, options.all_options));
  return 0;
}

}  // namespace

CommandDef compare_command() {
  return {.name = "compare",
          .summary = "show runs side by side: results, and the options in which they differ",
          .usage = "compare RUN_DIR RUN_DIR... [--json|--csv]",
          .details = R"(Reads the files of the runs, also of runs that are still going on.

  convoy compare runs/a runs/b
  convoy compare runs/* --csv
)",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
