// Tables of runs: all of a folder, or some side by side.
#pragma once

#include <string>
#include <vector>

#include "report/runs/find_runs.h"
#include "report/runs/run_facts.h"
#include "report/runs/table.h"

namespace convoy {

// A row for each run: how far it is and what it reached.
Table list_of_runs(const std::vector<FoundRun>& runs);

struct ComparedRun {
  std::string name;
  RunFacts facts;
  std::vector<RecordedOption> options;
};
// Facts and options of a run; what cannot be read is in `facts.problems`.
ComparedRun compared_run(const fs::path& run, std::string name);

// A row for each result and for each option in which the runs differ, a column for each run.
// `all_options`: also those that are equal but not defaults.
Table comparison_of_runs(const std::vector<ComparedRun>& runs, bool all_options);

}  // namespace convoy
