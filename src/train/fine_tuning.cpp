#include "train/fine_tuning.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text/text.h"
#include "ops/norm/batch_norm.h"
#include "train/checkpoint/load_weights.h"

namespace convoy {
namespace {

constexpr std::string_view all_but_head = "all-but-head";

// "layer1.0.conv1.weight" -> "layer1", "features.3.squeeze.weight" -> "features.3", "conv1.bias" ->
// "conv1".
std::string stage_name(const std::string& param) {
  const std::vector<std::string> parts = split(param, '.');
  const bool counted = is_number(parts[0].substr(parts[0].size() - 1));
  if (!counted && parts.size() > 1 && is_number(parts[1])) return parts[0] + "." + parts[1];
  return parts[0];
}

bool fits(const std::string& name, const std::string& pattern) {
  return matches_pattern(name, pattern) || name.starts_with(pattern + ".");
}

// All parameter names and their prefixes up to a dot.
std::vector<std::string> names_of(const Graph& graph) {
  std::set<std::string> all;
  for (const Param& p : graph.params) {
    for (size_t dot = p.name.find('.'); dot != p.name.npos; dot = p.name.find('.', dot + 1)) {
      all.insert(p.name.substr(0, dot));
    }
    all.insert(p.name);
  }
  return {all.begin(), all.end()};
}

// `further`: other values that the option accepts.
[[noreturn]] void refuse(std::string_view option, const std::string& pattern, const Graph& graph,
                         const std::vector<std::string>& further = {}) {
  std::vector<std::string> known = names_of(graph);
  known.insert(known.end(), further.begin(), further.end());
  const std::string near = nearest(pattern, known);
  std::vector<std::string> parts = further;
  for (const std::vector<size_t>& stage : stages_of(graph)) {
    parts.push_back(stage_name(graph.params[stage.front()].name));
  }
  raise(Fault::usage, "{}: no parameter is called '{}'; try: {}", option, pattern,
        near.empty() ? join(parts, ", ") : near);
}

void freeze_params(Graph& graph, const std::string& pattern, const FoundModel& model,
                   const ModelOptions& options) {
  std::set<std::string> heads;
  if (pattern == all_but_head) heads = heads_of(model, options);
  bool any = false;
  for (Param& p : graph.params) {
    const bool is_meant = heads.empty() ? fits(p.name, pattern) : !heads.contains(p.name);
    any = any || is_meant;
    if (is_meant) p.rate = 0;
  }
  if (!any) refuse("--freeze", pattern, graph, {std::string(all_but_head)});
}

// Freezes every parameter whose name contains none of the words.
void freeze_others(Graph& graph, const std::vector<std::string>& words) {
  const auto has = [](const Param& p, const std::string& word) {
    return p.name.find(word) != p.name.npos;
  };
  for (const std::string& word : words) {
    if (std::ranges::none_of(graph.params, [&](const Param& p) { return has(p, word); })) {
      refuse("--train-only", word, graph);
    }
  }
  for (Param& p : graph.params) {
    if (std::ranges::none_of(words, [&](const std::string& word) { return has(p, word); })) {
      p.rate = 0;
    }
  }
}

}  // namespace

void FineTuning::describe(Fields& field) {
  field("freeze", freeze,
        "parameters that stay as they are: all-but-head, or names such as layer1, "
        "features.0, *.bn1.*; their gradients are not even computed");
  field("train-only", train_only,
        "the other way round: only parameters whose names contain one of these learn", {},
        {"variable-filter"});
  if (!freeze.empty() && !train_only.empty()) {
    raise(Fault::usage, "--freeze and --train-only both choose what is trained; try: one of them");
  }
  field("freeze-statistics", statistics,
        "batch norms that use their running statistics and keep them: those whose scale and shift "
        "are frozen, all, or none of them");
  field.needs("freeze-statistics",
              statistics == KeptStatistics::all || !freeze.empty() || !train_only.empty(),
              "--freeze or --train-only", {"freeze", "train-only"});
  field("layer-decay", layer_decay,
        "factor between the rate of a stage and that of the next one; the head's rate is --lr",
        between(0.001, 1));
}

std::vector<std::vector<size_t>> stages_of(const Graph& graph) {
  std::vector<std::vector<size_t>> stages;
  std::string last;
  for (size_t i = 0; i < graph.params.size(); ++i) {
    const std::string name = stage_name(graph.params[i].name);
    // A stage begins with a weight; norms and biases belong to the weight before them.
    if (stages.empty() || (name != last && graph.params[i].decay)) {
      stages.emplace_back();
      last = name;
    }
    stages.back().push_back(i);
  }
  return stages;
}

void FineTuning::apply(Graph& graph, const FoundModel& model, const ModelOptions& options) const {
  if (layer_decay < 1) {
    const std::vector<std::vector<size_t>> stages = stages_of(graph);
    for (size_t i = 0; i < stages.size(); ++i) {
      const auto rate = std::pow(layer_decay, static_cast<double>(stages.size() - 1 - i));
      for (const size_t p : stages[i]) graph.params[p].rate = static_cast<float>(rate);
    }
  }
  for (const std::string& pattern : freeze) freeze_params(graph, pattern, model, options);
  if (!train_only.empty()) freeze_others(graph, train_only);
  if (std::ranges::all_of(graph.params, [](const Param& p) { return p.rate == 0; })) {
    raise(Fault::usage, "--freeze {} leaves nothing to train; try: --freeze {}", join(freeze, ","),
          all_but_head);
  }
  std::set<std::string> frozen;
  for (const Param& p : graph.params) {
    if (p.rate == 0) frozen.insert(p.name);
  }
  if (statistics == KeptStatistics::none) return;
  if (statistics == KeptStatistics::frozen && frozen.empty()) return;
  ops::freeze_statistics(graph, [&](const std::string& mean) {
    const std::string norm = mean.substr(0, mean.rfind('.'));
    return statistics == KeptStatistics::all ||
           (frozen.contains(norm + ".weight") && frozen.contains(norm + ".bias"));
  });
}

}  // namespace convoy
