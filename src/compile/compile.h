// Compiles a graph into a plan (compile/plan.h) by running all passes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compile/plan.h"
#include "compile/recompute_rule.h"
#include "compile/storage_rules.h"
#include "graph/vocabulary.h"

namespace convoy {

// Training minimises the sum over the losses of weight * mean of `per_sample` over the samples.
// `per_sample` must also be an output of the graph.
struct Loss {
  Value per_sample;
  float weight = 1;
};

// Options to inspect the passes.
struct PassWatch {
  std::vector<std::string> dump;     // passes after which the graph is printed; "all": every pass
  std::vector<std::string> without;  // optional passes to leave out
  std::function<void(const std::string& title, const std::string& text)> print;
  std::map<std::string, double>* seconds = nullptr;  // null, or gets the time of each pass
};

struct CompileOptions {
  std::vector<Loss> losses;  // empty: no gradients
  Value loss_scale;
  Vocabulary vocabulary;
  PassWatch watch;
  // The plan runs several times with the same parameters: it keeps the packed parameters of its
  // kernels in memory of its own.
  bool packs_once = false;
  // A plan without gradients whose parameters rarely change: batch norms and what follows them are
  // folded into convolutions, and packed parameters are kept.
  bool inference = false;
  StorageRules storage = {};
  RecomputeRule recompute = {};
  // Adds the exchange nodes of a run with several ranks; empty: none.
  std::function<void(Graph&)> distribute;
};

Plan compile(Graph graph, const CompileOptions& options);

// In the order of the passes: the names that `--dump` accepts besides `all`; those that `--without`
// accepts.
std::vector<std::string> pass_names(bool optional_alone = false);

}  // namespace convoy
