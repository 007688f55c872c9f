#include "compile/storage_rules.h"

namespace convoy {

Narrowing StorageRules::of(const Node& node) const {
  if (!bf16 || node.name.find(keeps_fp32) != std::string::npos) return Narrowing::never;
  const bool can = node.op->narrowing != Narrowing::never;
  if (can && node.name.find(forces_bf16) != std::string::npos) return Narrowing::always;
  Narrowing chosen = only_listed ? Narrowing::never : node.op->narrowing;
  const std::string_view name = node.op->listed_as.empty() ? node.op->name : node.op->listed_as;
  for (const Rule& rule : rules) {
    if (rule.op != name && !(can && rule.op == Rule::any_op)) continue;
    if (!rule.expression.empty() && !std::regex_search(node.name, rule.nodes)) continue;
    chosen = rule.narrowing;
  }
  return chosen;
}

}  // namespace convoy
