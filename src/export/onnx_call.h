// One node of an ONNX file, as the readers in export/onnx_ops/ see it: its inputs as values of the
// graph being built or as constants, and its attributes, checked.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "export/onnx_import.h"
#include "graph/builder.h"

namespace convoy {

// The state of an import.
struct OnnxScope {
  // `room_for`: the most numbers that constants and weights may have in total.
  OnnxScope(OnnxImport& to, int64_t operator_set, int64_t room_for)
      : import(to), builder(to.graph, false), opset(operator_set), room(room_for) {}

  OnnxImport& import;
  Builder builder;
  int64_t opset;
  int64_t room;  // the rest of it
  std::map<std::string, std::variant<Value, OnnxTensor>, std::less<>> names;
  std::map<std::string, int> uses;  // by name of a constant: how many weights were made from it
};

class OnnxCall {
 public:
  // Keeps both references. The node must have an output.
  OnnxCall(OnnxScope& scope, const OnnxNode& node) : scope_(scope), node_(node) {}

  const std::string& op() const { return node_.op; }
  Builder& builder() { return scope_.builder; }
  int64_t opset() const { return scope_.opset; }
  const Shape& shape(Value v) const { return scope_.builder.shape(v); }

  // Inputs. Optional ones may be missing.
  size_t inputs() const { return node_.in.size(); }
  bool has(size_t i) const { return i < node_.in.size() && !node_.in[i].empty(); }
  bool is_constant(size_t i) const;
  Value value(size_t i) const;  // a constant is refused
  const OnnxTensor& constant(size_t i) const;
  const OnnxTensor& floats(size_t i) const;
  const std::vector<int64_t>& whole(size_t i) const;
  // A value with 4 or 2 dimensions.
  Value image(size_t i) const { return ranked(i, 4); }
  Value matrix(size_t i) const { return ranked(i, 2); }

  // Attributes. Integers are limited, so that sums and products of a few of them cannot overflow.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> otherwise) const;
  float number(std::string_view name, float otherwise) const;
  std::string text(std::string_view name, std::string otherwise) const;
  const OnnxTensor* tensor(std::string_view name) const;

  // Refuses too many numbers before memory is allocated: a few bytes of a file can ask for any
  // size.
  void check_room(int64_t numbers) const;

  // Adds a parameter or statistic with these values to the graph.
  Value param(size_t input, const Shape& shape, std::vector<float> values);
  // scale * x + shift per channel (dimension 1) of an image or a matrix.
  Value affine(Value x, std::vector<float> scale, std::vector<float> shift);
  struct Norm {
    std::vector<float> gamma, beta, mean, variance;
    float epsilon;
  };
  Value normalised(Value x, Norm norm);

  // Sets the node's output.
  void give(Value v);
  void give(OnnxTensor constant);

  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    raise(Fault::checkpoint, "{}", fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  Value ranked(size_t i, int rank) const;
  const OnnxAttribute* attribute(std::string_view name, int32_t kind) const;
  const std::variant<Value, OnnxTensor>& input(size_t i) const;
  void take_room(size_t numbers);
  std::string unused(const std::string& wanted);
  void define(std::variant<Value, OnnxTensor> what);

  OnnxScope& scope_;
  const OnnxNode& node_;
};

// The number of elements, or -1 if it is larger than anything that fits into memory.
int64_t checked_count(const Shape& shape);

}  // namespace convoy
