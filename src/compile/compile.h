// From a graph to a plan.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compile/plan.h"
#include "graph/vocabulary.h"

namespace convoy {

// A mean over the samples, times its weight, is what training lowers. `per_sample` must be an
// output of the graph too.
struct Loss {
  Value per_sample;
  float weight = 1;
};

// For people who look inside.
struct PassWatch {
  std::vector<std::string> dump;     // passes after which the graph is printed; "all"
  std::vector<std::string> without;  // optional passes to leave out
  std::function<void(const std::string& title, const std::string& text)> print;
  std::map<std::string, double>* seconds = nullptr;  // when given, gets each pass's time
};

struct CompileOptions {
  std::vector<Loss> losses;  // empty: no gradients
  Value loss_scale;
  Vocabulary vocabulary;
  PassWatch watch;
  // The plan runs several times on the same parameters: what kernels make of them is kept, in
  // memory of its own.
  bool packs_once = false;
  // Values that are stored in bf16; empty: none. For tests alone, until --precision decides it.
  std::function<bool(const Graph&, Value)> in_bf16;
  // What is added for a run of several processes; empty: nothing.
  std::function<void(Graph&)> distribute;
};

Plan compile(Graph graph, const CompileOptions& options);

// The names `--dump` knows, in order.
std::vector<std::string> pass_names();
// Those of them that `--without` knows.
std::vector<std::string> optional_pass_names();

}  // namespace convoy
