// Runs the passes one after another; verifies, times and prints the graph as `PassWatch` asks.
// Borrows graph and watch.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "compile/compile.h"
#include "graph/print.h"
#include "graph/verify.h"

namespace convoy {

class PassRunner {
 public:
  PassRunner(const Graph& graph, const PassWatch& watch) : graph_(graph), watch_(watch) {
    verify(graph, "the model");
  }

  template <class Pass>
  void operator()(const std::string& name, Pass&& pass) {
    const auto start = std::chrono::steady_clock::now();
    pass();
    verify(graph_, name);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (watch_.seconds) (*watch_.seconds)[name] += took.count();
    if (watch_.print && (contains(watch_.dump, name) || contains(watch_.dump, "all"))) {
      watch_.print("after " + name, convoy::print(graph_));
    }
  }

  // A pass that may be skipped: without it the plan is only slower.
  template <class Pass>
  void optional(const std::string& name, Pass&& pass) {
    if (!contains(watch_.without, name)) (*this)(name, std::forward<Pass>(pass));
  }

 private:
  static bool contains(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }

  const Graph& graph_;
  const PassWatch& watch_;
};

}  // namespace convoy
