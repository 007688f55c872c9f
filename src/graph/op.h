// An op is a row of optional columns. A pass reads the columns it needs and never names an op; the
// comment of a column says what its absence means.
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

// A handle to a node's output; valid as long as its graph. Negative: no value.
struct Value {
  int id = -1;
  explicit operator bool() const { return id >= 0; }
  bool operator==(const Value&) const = default;
};
using Values = std::vector<Value>;
using Types = std::vector<TensorType>;

// The input of `OpDef::kernel`: everything a kernel may depend on besides the node's attributes.
struct KernelSite {
  Types in, out;
  int replicas = 1;  // the batch consists of this many replicas, one after another
  Choices choices = {};
  std::string_view op = {};  // for messages

  // How the kernel accesses input or output i with elements of type T. Fault::bug if it has another
  // type or does not exist.
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
  // All inputs, which must have the same type.
  template <class T>
  std::vector<In<T>> inputs() const {
    std::vector<In<T>> all;
    for (size_t i = 0; i < in.size(); ++i) all.push_back(input<T>(static_cast<int>(i)));
    return all;
  }

 private:
  void check(const Types& list, int i, DType knows, std::string_view what) const;
};

struct Form {
  Layout layout = Layout::plain;
  DType dtype = DType::f32;
};
// What a node wants: layout and storage type of each input, and the resulting layouts of its
// outputs. `infer` gives the storage types of the outputs.
struct FormChoice {
  std::vector<Form> in;
  std::vector<Layout> out;
};
// How the floats of an op are stored in a plan that stores values in bf16. What an op can read and
// write is told by its `forms`.
enum class Narrowing : uint8_t {
  never,    // fp32
  follows,  // as the values that it reads are stored
  any,      // bf16 if one of the values that it can read in bf16 is stored so
  all,      // bf16 if all of them are
  always,   // bf16: what it can read in bf16 is rounded for it
};

// fp32 for a 16-bit float, else the type itself.
constexpr DType without_16_bit(DType type) { return is_narrow(type) ? DType::f32 : type; }

// An exchange between replicas or ranks. A node is its begin, its end, or both. The kernel of such
// a node does nothing; the executor calls engine/collectives.h for it.
struct Collective {
  enum class Kind : uint8_t {
    bucket,  // complete gradients; their sums are used after the plan has run
    span,    // each replica of a group gets the vectors of all its members
    rows,    // each rank makes some rows and gets all of them
  } kind;
  int number = 0;  // index among the plan's exchanges of this kind, from 0
  bool begins = true, ends = true;
};

struct OpDef {
  std::string_view name;

  // The types of the outputs; refuses invalid inputs. Layouts are ignored; 16-bit floats occur only
  // where `forms` accepts them. Required.
  Types (*infer)(const Node&, std::span<const TensorType> in) = nullptr;

  // Writes the gradients of the inputs from those of the outputs. A Value without id means zero, in
  // both. Absent: the op has no gradient, and its inputs get none.
  Values (*grad)(Builder&, const Node&, std::span<const Value> d_out) = nullptr;

  // Makes the kernel of a node. Absent: the value comes from outside the plan.
  std::unique_ptr<Kernel> (*kernel)(const Node&, const KernelSite&) = nullptr;

  // Output 0 may reuse the memory of this input if no later node reads it.
  int inplace_input = -1;

  // Chooses the form for the offered input types. Absent: all plain, and no 16-bit floats.
  FormChoice (*forms)(const Node&, std::span<const TensorType> offered) = nullptr;

  // How its floats are stored in a plan with bf16 storage, unless the user says otherwise
  // (compile/storage_rules.h). Absent: in fp32.
  Narrowing narrowing = Narrowing::never;

  // The op whose storage rules apply to this one. Absent: its own.
  std::string_view listed_as = {};

  // Output 0 can be stored in `Node::stores`, whatever the inputs are. Absent: it cannot.
  bool chooses_storage = false;

  // Floating-point operations; a multiply-add counts as two. Absent: negligible.
  double (*flops)(const Node&, const KernelSite&) = nullptr;

  // Attributes as text, for dumps. Absent: none.
  std::string (*describe)(const Node&) = nullptr;

  // Writes a node that makes output 0 again, cheaper than the node itself, from inputs and other
  // outputs of the node; these other outputs are then kept. Absent: the node runs a second time.
  Value (*again)(Builder&, const Node&) = nullptr;

  // The node is scheduled as soon as its inputs exist. If its first output is read, its inputs and
  // outputs stay allocated until that reader has run; its scratch does not.
  bool runs_early = false;

  // The exchange that the node begins or ends. Absent: no exchange.
  Collective (*collective)(const Node&) = nullptr;

  // The node must run even if its outputs are not read.
  bool keeps = false;
};

// Tries to rewrite the graph around one node; true if it did.
struct FusionRule {
  std::string_view name;
  enum class Stage { forward, gradients, inference } stage;
  bool (*apply)(Graph&, Node&) = nullptr;
};

}  // namespace convoy
