// An op is a row of columns. A pass reads the columns it needs and never names an op; a column
// left empty means "not that way", as its comment says.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/choices.h"
#include "tensor/kernel.h"
#include "tensor/number_types.h"
#include "tensor/shape.h"

namespace convoy {

class Builder;
class Graph;
struct Node;

// A handle to what a node gives; valid as long as its graph. Negative: none.
struct Value {
  int id = -1;
  explicit operator bool() const { return id >= 0; }
  bool operator==(const Value&) const = default;
};
using Values = std::vector<Value>;
using Types = std::vector<TensorType>;

// Where a kernel will stand: everything it may depend on besides the node's attributes.
struct KernelSite {
  Types in, out;
  int replicas = 1;  // the batch holds this many replicas, one after another
  Choices choices = {};
  std::string_view op = {};  // for messages

  // How the kernel reaches input or output i as elements of T; Fault::bug when it is stored
  // otherwise, or not there.
  template <class T>
  In<T> input(int i) const {
    check(in, i, dtype_of<T>, "input");
    return In<T>(i);
  }
  template <class T>
  Out<T> output(int i) const {
    check(out, i, dtype_of<T>, "output");
    return Out<T>(i);
  }
  // All inputs, which must be alike.
  template <class T>
  std::vector<In<T>> inputs() const {
    std::vector<In<T>> all;
    for (size_t i = 0; i < in.size(); ++i) all.push_back(input<T>(static_cast<int>(i)));
    return all;
  }

 private:
  void check(const Types& list, int i, DType knows, std::string_view what) const;
};

// What a node wants: layout and storage type of each input, and the layout of its outputs then.
// How those are stored, `infer` says.
struct Form {
  Layout layout = Layout::plain;
  DType dtype = DType::f32;
};
struct FormChoice {
  std::vector<Form> in;
  std::vector<Layout> out;
};
// What an op that knows no 16-bit floats takes in place of `offered`.
constexpr DType known_dtype(DType offered) { return is_narrow(offered) ? DType::f32 : offered; }

// An exchange between replicas or processes: its begin, its end, or both at once. The kernel of
// such a node does nothing; the executor has the exchange done (engine/collectives.h).
struct Collective {
  enum class Kind : uint8_t {
    bucket,  // of gradients, which are complete; what waits for the sums comes behind the plan
    span,    // vectors of the replicas of a group: each of them gets those of all
    rows,    // runs of rows, made by one process each: each gets all
  } kind;
  int number = 0;  // counts from 0 among the plan's exchanges of that kind
  bool begins = true, ends = true;
};

struct OpDef {
  std::string_view name;

  // The types of the outputs; refuses inputs that make no sense. Layouts are ignored, 16-bit floats
  // come only where `forms` wants them. Required.
  Types (*infer)(const Node&, std::span<const TensorType> in) = nullptr;

  // The gradients of the inputs from those of the outputs; a missing one (no Value) is zero on
  // either side. Absent: the op has no gradient, nothing flows back through it.
  Values (*grad)(Builder&, const Node&, std::span<const Value> d_out) = nullptr;

  // Makes what runs it. Absent: the value comes from outside the plan.
  std::unique_ptr<Kernel> (*kernel)(const Node&, const KernelSite&) = nullptr;

  // Output 0 may take the memory of this input when nobody needs it afterwards.
  int inplace_input = -1;

  // Called with what is offered to the inputs. Absent: all plain, and the op knows no 16-bit
  // floats.
  FormChoice (*forms)(const Node&, std::span<const TensorType> offered) = nullptr;

  // Multiply-adds counted as two. Absent: too few to count.
  double (*flops)(const Node&, const KernelSite&) = nullptr;

  // Attributes as text, for dumps. Absent: none.
  std::string (*describe)(const Node&) = nullptr;

  // The node only starts something; the node that takes its first output ends it. Until then all
  // buffers of this node are held; its scratch is not, others use it at once.
  bool begins = false;

  // What the node begins or ends. Absent: it is no collective.
  Collective (*collective)(const Node&) = nullptr;

  // Must run even when nobody reads its outputs.
  bool keeps = false;
};

// Tries to rewrite the graph around one node. True when it did.
struct FusionRule {
  std::string_view name;
  enum class Stage { forward, gradients } stage;
  bool (*apply)(Graph&, Node&) = nullptr;
};

}  // namespace convoy
