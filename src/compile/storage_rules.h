// Which values of a plan are stored in bf16: those of the ops that say so themselves
// (OpDef::narrowing), changed by the lists of the user. Parameters, statistics, results and inputs
// keep their types.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace convoy {

struct StorageRules {
  bool bf16 = false;           // false: all floats are fp32
  DType narrow = DType::bf16;  // the 16-bit type

  // A change for an op, or for those of its nodes in whose names the expression is found.
  struct Rule {
    std::string op;
    std::string expression;  // as written; empty: all nodes
    std::regex nodes;
    Narrowing narrowing;
  };
  std::vector<Rule> rules;   // of several that apply, the last one counts
  bool only_listed = false;  // ops without a rule stay in fp32

  Narrowing of(const Node& node) const;
};

}  // namespace convoy
