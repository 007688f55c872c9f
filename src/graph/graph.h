// The graph that a plan is made from: nodes in an order in which every value is computed before it
// is read. It owns nodes and values; ids stay valid while it is rewritten.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/op.h"
#include "graph/region.h"

namespace convoy {

struct Node {
  int id;
  const OpDef* op;
  Values in, out;
  std::any attributes;
  std::string name;           // scope and op, for messages and dumps
  DType stores = DType::f32;  // how output 0 is stored, if the op chooses that
  int again_of = -1;          // the node whose outputs it makes again; -1: none

  template <class T>
  const T& attrs() const {
    const T* found = std::any_cast<T>(&attributes);
    expect(found, "a node's attributes are read as what its op was given");
    return *found;
  }
};

struct ValueInfo {
  TensorType type;
  int node = -1;  // the node that computes it
  int index = 0;  // index among the node's outputs
  const Region* region = &regions::workspace;
  int slot = -1;  // index within its region: of the parameter, statistic or input
};

// The initial values of a parameter; fan-in and fan-out follow from its shape.
struct Init {
  enum class Kind { zeros, ones, constant, normal, truncated_normal, uniform } kind = Kind::zeros;
  float scale = 0;  // the constant, the deviation, or the half-width
};

struct Param {
  std::string name;  // as in torchvision
  Shape shape;
  Init init;
  bool decay = true;  // false: norms and biases, which weight decay may leave out
  float rate = 1;     // factor of the learning rate; 0: frozen, without gradient
  Value value;
  Value grad;  // set by add_gradients
};

// A running statistic of batch norm: read in evaluation, updated from `batch` in training.
struct Stat {
  std::string name;
  Shape shape;
  float start = 0;
  Value value;
  Value batch;
};

// An input, an output or an exposed value.
struct NamedValue {
  std::string name;
  Value value;
};

class Graph {
 public:
  Graph() = default;
  Graph(Graph&&) = default;
  Graph& operator=(Graph&&) = default;

  int replicas = 1;
  Choices choices;  // for the kernels of its nodes
  std::vector<Param> params;
  std::vector<Stat> stats;
  std::vector<NamedValue> inputs;
  std::vector<NamedValue> outputs;  // named results; valid until the plan runs again

  // Node ids in execution order.
  std::vector<int> order;

  const Node& node(int id) const { return nodes_[static_cast<size_t>(id)]; }
  Node& node(int id) { return nodes_[static_cast<size_t>(id)]; }
  const ValueInfo& info(Value v) const { return values_[static_cast<size_t>(v.id)]; }
  ValueInfo& info(Value v) { return values_[static_cast<size_t>(v.id)]; }
  const TensorType& type(Value v) const { return info(v).type; }
  const Node& producer(Value v) const { return node(info(v).node); }
  int value_count() const { return static_cast<int>(values_.size()); }

  // Inserts a node at position `at` of the order; its outputs get the inferred types.
  Node& add(const OpDef& op, Values in, std::any attributes, std::string name, size_t at);

  // The nodes that read `v`, in order.
  std::vector<int> readers(Value v) const;

  // Replaces `from` by `to` in all readers and results.
  void replace(Value from, Value to);

  // The values that the plan must produce: outputs, gradients, batch statistics.
  bool is_result(Value v) const;
  Values results() const;

 private:
  std::deque<Node> nodes_;
  std::vector<ValueInfo> values_;
};

}  // namespace convoy
