// The ops that the tests of a family run. Each test file registers its own, so that CatalogOp sees
// whether every op is run by some test.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "support/op_case.h"

namespace convoy::test {

// The names of the ops that a test file runs.
using OpsRun = std::set<std::string> (*)();

struct RegisteredOps {
  explicit RegisteredOps(OpsRun ops) { all().push_back(ops); }
  static std::vector<OpsRun>& all() {
    static std::vector<OpsRun> registered;
    return registered;
  }
};

// The ops of a file's cases: const RegisteredOps registered(ops_of<linear_cases>);
template <std::vector<OpCase> (*cases)()>
std::set<std::string> ops_of() {
  std::set<std::string> names;
  for (const OpCase& c : cases()) names.merge(ops_in(c));
  return names;
}

}  // namespace convoy::test
