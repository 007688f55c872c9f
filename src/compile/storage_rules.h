// Which values of a plan are stored in bf16: those of the ops that say so themselves
// (OpDef::narrowing), changed by the lists of the user, and by markers in the names of nodes.
// Parameters, statistics, results and inputs keep their types.
#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace convoy {

struct StorageRules {
  bool bf16 = false;           // false: all floats are fp32
  DType narrow = DType::bf16;  // the 16-bit type

  // In the name of a node, before all rules: it computes in fp32; it stores bf16 if its op can.
  static constexpr std::string_view keeps_fp32 = "KEEP_FP32_PRECISION";
  static constexpr std::string_view forces_bf16 = "FORCE_BF16_PRECISION";

  // A change for an op, or for those of its nodes in whose names the expression is found.
  struct Rule {
    static constexpr std::string_view any_op = "*";  // that can store bf16

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
