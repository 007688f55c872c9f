#include "train/taken_algorithms.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text/text.h"
#include "ops/conv/algorithm_rules.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_name.h"
#include "ops/conv/convolution.h"

namespace convoy {
namespace {

std::vector<ops::ConvCall> convolutions(const Plan& plan) {
  std::vector<ops::ConvCall> calls;
  for (const PlanOp& op : plan.ops) {
    if (const auto call = ops::conv_call(plan.graph, op.node)) calls.push_back(*call);
  }
  return calls;
}

bool has_choice(const ops::ConvCall& call) {
  int able = 0;
  for (const ConvAlgorithm a : ops::conv_algorithms()) {
    able += ops::can_compute(a, call.shape, call.pass);
  }
  return able > 1;
}

}  // namespace

std::vector<TakenAlgorithm> taken_algorithms(const NetworkPlans& plans) {
  std::vector<TakenAlgorithm> taken;
  std::map<std::string, size_t> known;
  for (const Plan* plan : plans.pointers()) {
    std::map<size_t, int> nodes;
    for (const ops::ConvCall& call : convolutions(*plan)) {
      const Choices& choices = plan->graph.choices;
      TakenAlgorithm one{.pass = std::string(ops::pass_name(call.pass)),
                         .convolution = ops::conv_name(call.shape),
                         .algorithm = {},
                         .decided_by = {},
                         .has_choice = has_choice(call)};
      const auto [at, fresh] = known.try_emplace(one.pass + " " + one.convolution, taken.size());
      ++nodes[at->second];
      if (!fresh) continue;
      one.algorithm = ops::algorithm_name(ops::choose_algorithm(call.shape, call.pass, choices));
      if (const AlgorithmRule* rule = ops::deciding_rule(call.shape, call.pass, choices)) {
        one.decided_by = rule->where;
      }
      taken.push_back(std::move(one));
    }
    for (const auto& [at, count] : nodes) taken[at].nodes = std::max(taken[at].nodes, count);
  }
  return taken;
}

std::vector<std::string> decided_rules(const std::vector<TakenAlgorithm>& taken) {
  std::vector<std::string> rules;
  for (const TakenAlgorithm& one : taken) {
    if (one.has_choice) rules.push_back(one.pass + " " + one.convolution + " " + one.algorithm);
  }
  return rules;
}

std::vector<std::string> idle_rules(const NetworkPlans& plans, const Choices& choices) {
  std::set<const AlgorithmRule*> busy;
  std::set<onednn::ConvPass> passes;
  for (const Plan* plan : plans.pointers()) {
    for (const ops::ConvCall& call : convolutions(*plan)) {
      passes.insert(call.pass);
      busy.insert(ops::deciding_rule(call.shape, call.pass, choices));
    }
  }
  std::vector<std::string> lines;
  for (const AlgorithmRule& rule : choices.rules) {
    const bool concerned = std::ranges::any_of(passes, [&](onednn::ConvPass pass) {
      return matches_pattern(ops::pass_name(pass), rule.pass);
    });
    if (!concerned || busy.contains(&rule)) continue;
    lines.push_back(
        fmt::format("{}: `{}` decides nothing: the model has no such convolution, or an earlier "
                    "line decides; try: `convoy bench convs` for their names",
                    rule.where, ops::rule_text(rule)));
  }
  return lines;
}

}  // namespace convoy
