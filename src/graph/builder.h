// Writes a graph, node by node. Model code reads like mathematics because of it.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace convoy {

class Builder {
 public:
  // Appends to `graph`, which it keeps.
  explicit Builder(Graph& graph, bool train = true)
      : graph_(graph), at_(graph.order.size()), train_(train) {}
  // Writes in front of the node at that position of the order.
  Builder(Graph& graph, size_t at) : graph_(graph), at_(at), train_(true) {}

  Graph& graph() { return graph_; }
  bool train() const { return train_; }
  size_t position() const { return at_; }
  const TensorType& type(Value v) const { return graph_.type(v); }
  const Shape& shape(Value v) const { return graph_.type(v).shape; }
  // False when no gradient of it will ever be asked for.
  bool wants_grad(Value v) const { return !wanted_ || (*wanted_)[static_cast<size_t>(v.id)]; }
  void set_wanted(const std::vector<bool>* wanted) { wanted_ = wanted; }

  // The first output; `emit_all` gives every one.
  template <class Attrs = int>
  Value emit(const OpDef& op, Values in, Attrs attrs = {}) {
    return add(op, std::move(in), std::any(std::move(attrs))).out[0];
  }
  template <class Attrs = int>
  Values emit_all(const OpDef& op, Values in, Attrs attrs = {}) {
    return add(op, std::move(in), std::any(std::move(attrs))).out;
  }

  // What comes from outside. Names of parameters and statistics get the scope in front.
  Value input(std::string name, TensorType type);
  Value param(std::string_view name, Shape shape, Init init, bool decay = true);
  Value stat(std::string_view name, Shape shape, float start);
  // `batch` is what this step says about a statistic.
  void feed(Value stat, Value batch);
  void output(std::string name, Value v);
  // What a model gives besides its logits: the feature maps of its stages, further heads. Names get
  // no scope.
  void expose(std::string name, Value v) { exposed_.push_back({std::move(name), v}); }
  // The end of a stage: `stage1`, `stage2` … in the order of calls.
  void expose_stage(Value v) { expose("stage" + std::to_string(++stages_), v); }
  // None: the model exposes nothing of that name.
  Value exposed(std::string_view name) const;
  const std::vector<Input>& exposed() const { return exposed_; }
  // A whole region of the state as one vector: what updates work on. `buffer` counts the
  // optimiser's slots.
  Value view(const Region& region, int64_t floats, int buffer = 0);

  // While it lives, names begin with `name.`; scopes nest.
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
  std::vector<Input> exposed_;
  int stages_ = 0;
  const std::vector<bool>* wanted_ = nullptr;
};

// The ops without kernels: what comes from outside the plan.
extern const OpDef input_op, param_op, stat_op, view_op;

}  // namespace convoy
