#include "compile/storage_rules.h"

namespace convoy {

Narrowing StorageRules::of(const Node& node) const {
  if (!bf16) return Narrowing::never;
  Narrowing chosen = only_listed ? Narrowing::never : node.op->narrowing;
  for (const Rule& rule : rules) {
    if (rule.op != node.op->name) continue;
    if (!rule.expression.empty() && !std::regex_search(node.name, rule.nodes)) continue;
    chosen = rule.narrowing;
  }
  return chosen;
}

}  // namespace convoy
