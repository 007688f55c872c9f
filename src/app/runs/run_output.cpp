#include "app/runs/run_output.h"

#include <algorithm>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "report/runs/run_tables.h"

namespace convoy {

void TableForm::describe(Fields& field) {
  field("json", json, "print JSON: a list of objects");
  field("csv", csv, "print comma-separated values with a head line");
  if (json && csv) raise(Fault::usage, "--json and --csv are two forms; try: one of them");
}

void TableForm::print(const Table& table) const {
  show_text(json ? table_json(table) : csv ? table_csv(table) : table_lines(table));
}

std::vector<std::string> names_of_runs(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    const fs::path whole = fs::absolute(path).lexically_normal();
    names.push_back((whole.has_filename() ? whole : whole.parent_path()).filename().string());
  }
  std::vector<std::string> unique = names;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) unique[i] = paths[i];
  }
  return unique;
}

int list_runs(const std::string& folder, const std::string& pattern, const TableForm& form) {
  FoundRuns found = find_runs(folder);
  for (const std::string& problem : found.problems) show(stderr, "convoy: {}\n", problem);
  const bool is_part = pattern.find_first_of("*?") == std::string::npos;
  std::erase_if(found.runs, [&](const FoundRun& run) {
    return is_part ? run.name.find(pattern) == std::string::npos
                   : !matches_pattern(run.name, pattern);
  });
  if (found.runs.empty() && !form.json && !form.csv) {
    show("no runs{} below {}\n", pattern == "*" ? "" : " " + pattern, folder);
    return 0;
  }
  form.print(list_of_runs(found.runs));
  return 0;
}

}  // namespace convoy
