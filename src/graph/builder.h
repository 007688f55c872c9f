// Writes a graph node by node, so that model code reads like formulas. Borrows the graph.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace convoy {

class Builder {
 public:
  // Appends to `graph`, which must outlive this.
  explicit Builder(Graph& graph, bool train = true)
      : graph_(graph), at_(graph.order.size()), train_(train) {}
  // Inserts before the node at position `at` of the order.
  Builder(Graph& graph, size_t at) : graph_(graph), at_(at), train_(true) {}

  Graph& graph() { return graph_; }
  bool train() const { return train_; }
  size_t position() const { return at_; }
  const TensorType& type(Value v) const { return graph_.type(v); }
  const Shape& shape(Value v) const { return graph_.type(v).shape; }
  // False if the gradient of `v` is certainly not needed.
  bool wants_grad(Value v) const { return !wanted_ || (*wanted_)[static_cast<size_t>(v.id)]; }
  void set_wanted(const std::vector<bool>* wanted) { wanted_ = wanted; }

  // Returns the first output; `emit_all` returns all.
  template <class Attrs = int>
  Value emit(const OpDef& op, Values in, Attrs attrs = {}) {
    return add(op, std::move(in), std::any(std::move(attrs))).out[0];
  }
  template <class Attrs = int>
  Values emit_all(const OpDef& op, Values in, Attrs attrs = {}) {
    return add(op, std::move(in), std::any(std::move(attrs))).out;
  }

  // Values from outside the plan. Names of parameters and statistics get the scope as prefix.
  Value input(std::string name, TensorType type);
  Value param(std::string_view name, Shape shape, Init init, bool decay = true);
  Value stat(std::string_view name, Shape shape, float start);
  // `batch` is this step's value for a running statistic.
  void feed(Value stat, Value batch);
  void output(std::string name, Value v);
  // Additional results of a model besides its logits: the feature maps of its stages, further
  // heads. Names get no scope prefix.
  void expose(std::string name, Value v) { exposed_.push_back({std::move(name), v}); }
  // Exposes the end of a stage as `stage1`, `stage2` … in the order of calls.
  void expose_stage(Value v) { expose("stage" + std::to_string(++stages_), v); }
  // Negative id: the model exposes nothing of this name.
  Value exposed(std::string_view name) const;
  const std::vector<NamedValue>& exposed() const { return exposed_; }
  // A whole region of the state as one vector, for updates. `buffer` is the index of the
  // optimizer's buffer.
  Value view(const Region& region, int64_t floats, int buffer = 0);

  // While it lives, names begin with `name.`, unless `name` is empty; scopes may nest.
  class Scope {
   public:
    Scope(Builder& b, std::string_view name);
    ~Scope() { builder_.scope_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Builder& builder_;
    size_t length_;
  };
  Scope scope(std::string_view name) { return {*this, name}; }

 private:
  Node& add(const OpDef& op, Values in, std::any attrs);

  Graph& graph_;
  size_t at_;
  bool train_;
  std::string scope_;
  std::vector<NamedValue> exposed_;
  int stages_ = 0;
  const std::vector<bool>* wanted_ = nullptr;
};

// The ops without kernels: values from outside the plan.
extern const OpDef input_op, param_op, stat_op, view_op;

}  // namespace convoy
