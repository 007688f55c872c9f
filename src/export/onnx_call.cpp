#include "export/onnx_call.h"

#include <cmath>

#include "ops/norm/batch_norm.h"
#include "ops/shape_ops.h"

namespace convoy {
namespace {

constexpr int64_t most_elements = int64_t{1} << 31;
constexpr int64_t largest_attribute = int64_t{1} << 20;

}  // namespace

int64_t checked_count(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) {
    if (dim < 0 || dim > most_elements) return -1;
    count *= dim;
    if (count > most_elements) return -1;
  }
  return count;
}

const std::variant<Value, OnnxTensor>& OnnxCall::input(size_t i) const {
  if (!has(i)) refuse("its input {} is missing", i);
  const auto found = scope_.names.find(node_.in[i]);
  if (found == scope_.names.end()) refuse("no node computes its input {}", i);
  return found->second;
}

bool OnnxCall::is_constant(size_t i) const {
  return has(i) && std::holds_alternative<OnnxTensor>(input(i));
}

Value OnnxCall::value(size_t i) const {
  if (is_constant(i))
    refuse("its input {} is a constant, which this engine does not compute with", i);
  return std::get<Value>(input(i));
}

Value OnnxCall::ranked(size_t i, int rank) const {
  const Value v = value(i);
  if (shape(v).rank() != rank)
    refuse("its input {} is {}, of rank {} it must be", i, to_string(shape(v)), rank);
  return v;
}

const OnnxTensor& OnnxCall::constant(size_t i) const {
  const OnnxTensor* t = std::get_if<OnnxTensor>(&input(i));
  if (!t) refuse("its input {} is computed, a constant it must be", i);
  return *t;
}

const OnnxTensor& OnnxCall::floats(size_t i) const {
  const OnnxTensor& t = constant(i);
  if (t.type != OnnxTensor::f32) refuse("its input {} is of type {}, not float", i, t.type);
  return t;
}

const std::vector<int64_t>& OnnxCall::whole(size_t i) const {
  const OnnxTensor& t = constant(i);
  if (t.type != OnnxTensor::s64) refuse("its input {} is of type {}, not int64", i, t.type);
  return t.whole;
}

const OnnxAttribute* OnnxCall::attribute(std::string_view name, int32_t kind) const {
  const OnnxAttribute* a = node_.find(name);
  if (a && a->kind != kind && a->kind != OnnxAttribute::none)
    refuse("its attribute {} is of kind {}, not {}", name, a->kind, kind);
  return a;
}

int64_t OnnxCall::integer(std::string_view name, int64_t otherwise) const {
  const OnnxAttribute* a = attribute(name, OnnxAttribute::integer);
  if (!a) return otherwise;
  if (a->i > largest_attribute || a->i < -largest_attribute)
    refuse("its attribute {} is {}", name, a->i);
  return a->i;
}

std::vector<int64_t> OnnxCall::integers(std::string_view name,
                                        std::vector<int64_t> otherwise) const {
  const OnnxAttribute* a = attribute(name, OnnxAttribute::integers);
  if (!a) return otherwise;
  for (const int64_t i : a->ints) {
    if (i > largest_attribute || i < -largest_attribute)
      refuse("its attribute {} has a {}", name, i);
  }
  return a->ints;
}

float OnnxCall::number(std::string_view name, float otherwise) const {
  const OnnxAttribute* a = attribute(name, OnnxAttribute::number);
  if (!a) return otherwise;
  if (!std::isfinite(a->f)) refuse("its attribute {} is no number", name);
  return a->f;
}

std::string OnnxCall::text(std::string_view name, std::string otherwise) const {
  const OnnxAttribute* a = attribute(name, OnnxAttribute::text);
  return a ? a->s : otherwise;
}

const OnnxTensor* OnnxCall::tensor(std::string_view name) const {
  const OnnxAttribute* a = attribute(name, OnnxAttribute::tensor);
  return a && a->t ? &*a->t : nullptr;
}

void OnnxCall::check_room(int64_t numbers) const {
  if (numbers > scope_.room)
    refuse("with its {} numbers the constants are far larger than the file", numbers);
}

void OnnxCall::take_room(size_t numbers) {
  check_room(static_cast<int64_t>(numbers));
  scope_.room -= static_cast<int64_t>(numbers);
}

std::string OnnxCall::unused(const std::string& wanted) {
  std::string name = wanted;
  int& uses = scope_.uses.try_emplace(wanted, 1).first->second;
  while (scope_.import.weights.contains(name)) name = fmt::format("{}#{}", wanted, ++uses);
  return name;
}

Value OnnxCall::param(size_t input, const Shape& shape, std::vector<float> values) {
  if (static_cast<int64_t>(values.size()) != checked_count(shape))
    refuse("{} values for a {}", values.size(), to_string(shape));
  take_room(values.size());
  const std::string name = unused(input < node_.in.size() ? node_.in[input] : node_.name);
  scope_.import.weights[name] = std::move(values);
  return builder().param(name, shape, {});
}

Value OnnxCall::normalised(Value x, Norm norm) {
  if (shape(x).rank() != 4) refuse("a norm of {}; images it must be", to_string(shape(x)));
  const Shape channels{shape(x)[1]};
  const auto take = [&](std::vector<float>& values, const char* what, bool stat) {
    if (static_cast<int64_t>(values.size()) != channels[0])
      refuse("{} {} for {} channels", values.size(), what, channels[0]);
    take_room(values.size());
    const std::string name = unused(fmt::format("{}/{}", node_.out[0], what));
    scope_.import.weights[name] = std::move(values);
    return stat ? builder().stat(name, channels, 0) : builder().param(name, channels, {});
  };
  return ops::batch_norm(builder(), x,
                         {take(norm.gamma, "scales", false), take(norm.beta, "shifts", false),
                          take(norm.mean, "means", true), take(norm.variance, "variances", true)},
                         {.epsilon = norm.epsilon});
}

Value OnnxCall::affine(Value x, std::vector<float> scale, std::vector<float> shift) {
  const Shape s = shape(x);
  const bool rows = s.rank() == 2;
  if (rows) x = ops::reshape(builder(), x, {s[0], s[1], 1, 1});
  const std::vector<float> zero(scale.size(), 0.0f), one(scale.size(), 1.0f);
  x = normalised(x, {std::move(scale), std::move(shift), zero, one, 0});
  return rows ? ops::reshape(builder(), x, s) : x;
}

void OnnxCall::define(std::variant<Value, OnnxTensor> what) {
  if (!scope_.names.emplace(node_.out[0], std::move(what)).second)
    refuse("its output is computed twice");
}

void OnnxCall::give(Value v) {
  if (checked_count(shape(v)) < 1)
    refuse("it gives {}, which is not reasonable", to_string(shape(v)));
  define(v);
}

void OnnxCall::give(OnnxTensor constant) {
  take_room(constant.floats.size() + constant.whole.size());
  define(std::move(constant));
}

}  // namespace convoy
