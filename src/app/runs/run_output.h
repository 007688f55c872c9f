// What the verbs about several runs share: the form of their tables, the names of the runs.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "report/runs/table.h"

namespace convoy {

struct TableForm {
  bool json = false, csv = false;

  void describe(Fields& field);
  // On standard output.
  void print(const Table& table) const;
};

// The last folders of the paths, or the paths as typed where two would be equal.
std::vector<std::string> names_of_runs(const std::vector<std::string>& paths);

// Prints the table of the runs below `folder` that match `pattern`; of folders that cannot be read
// a line on standard error each. Returns the exit code.
int list_runs(const std::string& folder, const std::string& pattern, const TableForm& form);

}  // namespace convoy
