// One op with its inputs and a plain reference; `check` proves the op right on it.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compile/storage_rules.h"
#include "graph/builder.h"

namespace convoy::test {

using Doubles = std::vector<double>;

struct InputSpec {
  Shape shape;
  // Uniform in [low, high); integers likewise.
  double low = -1, high = 1;
  DType dtype = DType::f32;  // f32 is differentiated, integers are inputs of the plan
  bool shared = false;       // weights: no batch in front, every replica reads all of it
  bool fixed = false;        // f32, but not differentiated
  double gap = 0;            // values stay this far from zero (a kink)
  bool apart = false;        // a shuffled grid instead: no two values are near each other (ties)
};

struct OpCase {
  std::string name;
  std::vector<InputSpec> inputs;
  // Takes shapes from the builder, not from outside: it is also built for a part of the batch.
  std::function<Value(Builder&, std::span<const Value>)> build;
  // The output in plain order, in double.
  std::function<Doubles(std::span<const Doubles>)> reference;

  bool gradient = true;
  bool train = true;
  bool inference = false;             // compiled for inference: without gradient
  bool exact_without_fusion = false;  // compare with the unfused graph, bit for bit
  // Allowed error of an element: `tolerance` times its size plus the typical size of its tensor;
  // with bf16 storage half a step of its numbers more for each time that values are rounded.
  double tolerance = 2e-6;
  double grad_tolerance = 1e-4;
  // How often an op rounds values of its own to bf16 before it stores the result.
  int bf16_roundings_inside = 0;
  // How far elements of gradients may be off besides with bf16 storage: where they follow from the
  // difference of a rounded result and a constant.
  double bf16_grad_error = 0;
};

// Runs the op through compile() and the executor in memory full of NaNs, and checks
// - the output against the reference,
// - the gradient of every f32 input against central differences of the reference: a random
//   projection of the output, some elements and some random directions,
// - that 1, 2, 3 and 8 threads give the same bits,
// - that 2 and 4 replicas of one batch give the same bits as each replica alone (gradients of
//   shared inputs summed in a tree), where the batch can be divided,
// in plain layout, and again with all images blocked; and all of this again with every value in
// bf16 that the ops can store so.
void check(const OpCase& c);

// The names of the ops in the plan of `c`, gradients included; and with `in_bf16` behind it the
// name of each that reads or writes bf16 there when it can.
constexpr std::string_view in_bf16 = " in bf16";
std::set<std::string> ops_in(const OpCase& c);
// The same of a graph as it is.
std::set<std::string> ops_in(const Graph& graph);

// Every op reads and writes a 16-bit type wherever it can.
StorageRules narrowed_ops(DType type = DType::bf16);

// Helper of references: the offset of an element in plain order.
inline size_t at(const Shape& s, int64_t n, int64_t c, int64_t h, int64_t w) {
  return static_cast<size_t>(((n * s[1] + c) * s[2] + h) * s[3] + w);
}

}  // namespace convoy::test
