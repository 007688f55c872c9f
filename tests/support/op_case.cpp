#include "support/op_case.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/files/file.h"
#include "base/random.h"
#include "kernels/sums.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/family.h"
#include "support/session.h"
#include "support/test_ops.h"

namespace convoy::test {
namespace {

// Half a step between neighbouring numbers that the type holds, relative.
double half_step_of(DType storage) { return storage == DType::f16 ? 1.0 / 2048 : 1.0 / 256; }

// Different numbers that bf16 and fp16 hold, far enough apart for difference quotients, in order.
Doubles narrow_grid(size_t count) {
  Doubles values;
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint16_t>((121 << 7) + i / 2);  // from 2^-6 on
    const auto value = static_cast<double>(widened(Bf16{bits}));
    expect(value < 4096, "so many numbers of moderate size");
    values.push_back(i % 2 == 0 ? value : -value);
  }
  return values;
}

// Values of an input or of the projection; integers as doubles too.
Doubles draw(const InputSpec& spec, uint64_t key, DType storage) {
  Random random(key);
  const auto count = static_cast<size_t>(spec.shape.count());
  Doubles values(count);
  if (spec.apart) {
    for (size_t i = 0; i < count; ++i) {
      values[i] =
          spec.low + (spec.high - spec.low) * static_cast<double>(i) / static_cast<double>(count);
    }
    if (is_narrow(storage)) values = narrow_grid(count);
    for (size_t i = count; i > 1; --i)
      std::swap(values[i - 1], values[random.below(static_cast<uint32_t>(i))]);
  } else {
    for (double& v : values) {
      do v = spec.low + (spec.high - spec.low) * random.uniform();
      while (std::abs(v) < spec.gap);
    }
  }
  // What is stored: the reference must see the same numbers.
  for (double& v : values) {
    v = spec.dtype == DType::f32 ? static_cast<float>(v) : std::floor(v);
    if (storage == DType::bf16 && spec.dtype == DType::f32)
      v = static_cast<double>(widened(rounded_to<Bf16>(static_cast<float>(v))));
    if (storage == DType::f16 && spec.dtype == DType::f32)
      v = static_cast<double>(widened(rounded_to<F16>(static_cast<float>(v))));
  }
  return values;
}

bool is_param(const InputSpec& spec) { return spec.dtype == DType::f32 && !spec.fixed; }

// Values as the plan wants them.
std::vector<std::byte> as_bytes(DType dtype, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * bytes_per_element(dtype));
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DType::f32) reinterpret_cast<float*>(bytes.data())[i] = float(values[i]);
    if (dtype == DType::s32) reinterpret_cast<int32_t*>(bytes.data())[i] = int32_t(values[i]);
    if (dtype == DType::u8) reinterpret_cast<uint8_t*>(bytes.data())[i] = uint8_t(values[i]);
    if (dtype == DType::s64) reinterpret_cast<int64_t*>(bytes.data())[i] = int64_t(values[i]);
  }
  return bytes;
}

struct Variant {
  bool blocked = false;
  bool fused = true;
  int replicas = 1;
  int parts = 1;  // build for this part of the batch only
  DType storage = DType::f32;
};

Shape part_of(const InputSpec& spec, int parts) {
  Shape shape = spec.shape;
  if (!spec.shared) shape[0] /= parts;
  return shape;
}

std::string input_name(size_t i) { return fmt::format("in{}", i); }

// In the names of nodes that the case does not build itself, and which keep fp32.
constexpr std::string_view of_harness = "harness";

Plan make_plan(const OpCase& c, const Variant& variant) {
  Graph graph;
  graph.replicas = variant.replicas;
  Builder b(graph, c.train);
  Values in;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const InputSpec& spec = c.inputs[i];
    const Shape shape = part_of(spec, variant.parts);
    Value v = is_param(spec) && c.gradient ? b.param(input_name(i), shape, {})
                                           : b.input(input_name(i), {shape, spec.dtype});
    if (variant.blocked && shape.rank() == 4 && !spec.shared && spec.dtype == DType::f32)
      v = blocked(b, v);
    in.push_back(v);
  }
  Value out = c.build(b, in);
  if (variant.blocked && b.shape(out).rank() == 4) out = blocked(b, out);
  b.output("out", out);
  std::vector<std::string> without;
  if (!variant.fused) without = {"fuse_forward", "fuse_gradients"};
  const StorageRules storage =
      is_narrow(variant.storage) ? narrowed_ops(variant.storage) : StorageRules{};
  if (c.inference) return inference_plan(std::move(graph), storage);
  if (!c.gradient) return plan(std::move(graph), {}, {}, without, storage);
  const auto scope = b.scope(of_harness);
  const Value projection = b.input("projection", {b.shape(out)});
  const Value loss_scale = b.input("loss_scale", {Shape{}});
  const Value loss = ops::multiply(b, out, projection);
  b.output("loss", loss);
  return plan(std::move(graph), {{loss}}, loss_scale, without, storage);
}

// How often values are rounded to 16 bits on the way to the output, and on the way to the
// gradients.
struct Roundings {
  int forward = 0, all = 0;
};
Roundings roundings(const Graph& graph) {
  std::set<int> before_out;  // the nodes that the output follows from
  for (const NamedValue& output : graph.outputs) {
    if (output.name == "out") before_out.insert(graph.producer(output.value).id);
  }
  Roundings count;
  for (auto id = graph.order.rbegin(); id != graph.order.rend(); ++id) {
    const Node& node = graph.node(*id);
    const bool forward = before_out.contains(*id);
    if (forward) {
      for (const Value v : node.in) before_out.insert(graph.producer(v).id);
    }
    // Inputs and the projection hold numbers of bf16: their casts are exact.
    const bool rounds = node.op->name != "cast" && std::ranges::any_of(node.out, [&](Value v) {
                          return is_narrow(graph.type(v).dtype);
                        });
    count.forward += rounds && forward;
    count.all += rounds;
  }
  return count;
}

struct Outcome {
  std::vector<float> out;
  std::vector<std::vector<float>> grads;  // by input; empty for those without
};

class CaseRun {
 public:
  CaseRun(const OpCase& c, const Variant& variant)
      : case_(c), variant_(variant), session_(make_plan(c, variant)) {}

  const Plan& plan() const { return session_.plan(); }

  // Runs on one part of the values.
  Outcome run(std::span<const Doubles> in, std::span<const double> projection, int threads,
              int part = 0) {
    std::vector<std::vector<std::byte>> bytes;
    for (size_t i = 0; i < in.size(); ++i) {
      const InputSpec& spec = case_.inputs[i];
      const auto count = static_cast<size_t>(part_of(spec, variant_.parts).count());
      const size_t first = spec.shared ? 0 : count * static_cast<size_t>(part);
      bytes.push_back(as_bytes(spec.dtype, std::span(in[i]).subspan(first, count)));
      if (is_param(spec) && case_.gradient) {
        const auto* floats = reinterpret_cast<const float*>(bytes.back().data());
        std::copy_n(floats, count, session_.param(input_name(i)).begin());
      } else {
        session_.bind(input_name(i), bytes.back().data());
      }
    }
    const size_t outs = projection.size() / static_cast<size_t>(variant_.parts);
    bytes.push_back(
        as_bytes(DType::f32, projection.subspan(outs * static_cast<size_t>(part), outs)));
    // The seed of the loss is this over the elements of a replica: one.
    const float scale = static_cast<float>(outs) / static_cast<float>(variant_.replicas);
    if (case_.gradient) {
      session_.bind("projection", bytes.back().data());
      session_.bind("loss_scale", &scale);
    }
    session_.run(threads);
    Outcome result{session_.output("out"), {}};
    for (size_t i = 0; i < in.size(); ++i) {
      result.grads.emplace_back();
      if (!is_param(case_.inputs[i]) || !case_.gradient) continue;
      const std::span<float> grad = session_.grad(input_name(i));
      result.grads.back().assign(grad.begin(), grad.end());
    }
    return result;
  }

 private:
  const OpCase& case_;
  Variant variant_;
  Session session_;
};

void expect_same_bits(std::span<const float> a, std::span<const float> b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::bit_cast<uint32_t>(a[i]) == std::bit_cast<uint32_t>(b[i])) continue;
    FAIL() << what << " differs at element " << i << " of " << a.size() << ": " << a[i] << " and "
           << b[i];
  }
}

void expect_same_bits(const Outcome& a, const Outcome& b, const std::string& what) {
  expect_same_bits(a.out, b.out, what + ": the output");
  for (size_t i = 0; i < a.grads.size(); ++i) {
    expect_same_bits(a.grads[i], b.grads[i], fmt::format("{}: gradient {}", what, i));
  }
}

template <class T>
double root_mean_square(const std::vector<T>& values) {
  double sum = 0;
  for (const T v : values) sum += std::isfinite(v) ? static_cast<double>(v) * v : 0;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

// `steps`: roundings on the way, each of up to `half_step`.
void expect_near_reference(const std::vector<float>& have, const Doubles& want, double tolerance,
                           int steps, double half_step) {
  ASSERT_EQ(have.size(), want.size()) << "elements of the output";
  const double typical = root_mean_square(want);
  for (size_t i = 0; i < have.size(); ++i) {
    if (std::isnan(want[i]) && std::isnan(have[i])) continue;
    if (static_cast<double>(have[i]) == want[i]) continue;  // infinities
    const double size = std::abs(want[i]) + typical;
    // A single rounding is of the result; of several some are of larger numbers.
    const double rounding = half_step * (steps > 1 ? steps * size : steps * std::abs(want[i]));
    if (std::abs(have[i] - want[i]) <= tolerance * size + rounding) continue;
    FAIL() << "output element " << i << " of " << have.size() << " is " << have[i]
           << ", the reference says " << want[i];
  }
}

// The projected reference along a direction, differentiated.
double slope(const OpCase& c, const std::vector<Doubles>& in, const Doubles& projection,
             size_t input, const Doubles& direction) {
  constexpr double step = 1e-5;
  const auto value = [&](double by) {
    std::vector<Doubles> moved = in;
    for (size_t i = 0; i < direction.size(); ++i) moved[input][i] += by * direction[i];
    const Doubles out = c.reference(moved);
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) sum += out[i] * projection[i];
    return sum;
  };
  return (value(step) - value(-step)) / (2 * step);
}

// Every element of a small input; of a large one the corners and some in between.
std::vector<size_t> elements_to_check(size_t count, Random& random) {
  std::vector<size_t> chosen;
  if (count <= 16) {
    for (size_t i = 0; i < count; ++i) chosen.push_back(i);
    return chosen;
  }
  chosen = {0, count - 1};
  for (int i = 0; i < 8; ++i) chosen.push_back(random.below(static_cast<uint32_t>(count)));
  return chosen;
}

void expect_gradient(const OpCase& c, const std::vector<Doubles>& in, const Doubles& projection,
                     size_t input, const std::vector<float>& grad, int steps, double half_step) {
  // In a long chain a value may also fall to the other side of a ReLU's kink.
  const double tolerance = c.grad_tolerance + half_step * steps * (steps > 6 ? 2 : 1);
  const double least = 1e-7 + (steps > 0 ? c.bf16_grad_error : 0);
  Random random(random_key(7, Purpose::generated, hash_bytes(c.name), input));
  const double typical = root_mean_square(grad);
  for (const float g : grad) ASSERT_FALSE(std::isnan(g)) << "a NaN in gradient " << input;
  for (const size_t i : elements_to_check(grad.size(), random)) {
    Doubles direction(grad.size(), 0.0);
    direction[i] = 1;
    const double want = slope(c, in, projection, input, direction);
    EXPECT_NEAR(grad[i], want, tolerance * (std::abs(want) + typical) + least)
        << "gradient " << input << ", element " << i << " of " << grad.size();
  }
  for (int repeat = 0; repeat < 2; ++repeat) {
    Doubles direction(grad.size());
    for (double& d : direction) d = random.normal();
    double have = 0;
    for (size_t i = 0; i < grad.size(); ++i) have += grad[i] * direction[i];
    const double want = slope(c, in, projection, input, direction);
    const double norm = typical * std::sqrt(static_cast<double>(grad.size()));
    EXPECT_NEAR(
        have, want,
        tolerance * (std::abs(want) + norm) + least * std::sqrt(static_cast<double>(grad.size())))
        << "gradient " << input << " along a random direction";
  }
}

// A batch that can be divided, and is: the shared inputs alone may have another first dimension.
bool divides(const OpCase& c, int parts) {
  bool any = false;
  for (const InputSpec& spec : c.inputs) {
    if (spec.shared) continue;
    if (spec.shape[0] % parts != 0) return false;
    any = true;
  }
  return any;
}

void expect_replicas_independent(const OpCase& c, const Variant& variant,
                                 const std::vector<Doubles>& in, const Doubles& projection,
                                 int replicas) {
  Variant of_all = variant, of_one = variant;
  of_all.replicas = of_one.parts = replicas;
  CaseRun together(c, of_all);
  CaseRun alone(c, of_one);
  const Outcome whole = together.run(in, projection, 2);
  Outcome joined;
  std::vector<std::vector<float>> leaves(in.size());
  for (int r = 0; r < replicas; ++r) {
    const Outcome part = alone.run(in, projection, 2, r);
    joined.out.insert(joined.out.end(), part.out.begin(), part.out.end());
    for (size_t i = 0; i < in.size(); ++i)
      leaves[i].insert(leaves[i].end(), part.grads[i].begin(), part.grads[i].end());
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (c.inputs[i].shared && !leaves[i].empty()) {
      const auto each = static_cast<int64_t>(leaves[i].size()) / replicas;
      kernels::tree_sum(leaves[i].data(), each, replicas, each);
      leaves[i].resize(static_cast<size_t>(each));
    }
    joined.grads.push_back(leaves[i]);
  }
  expect_same_bits(whole, joined, fmt::format("{} replicas together and one by one", replicas));
}

void check_variant(const OpCase& c, const Variant& variant) {
  CaseRun all(c, variant);
  const bool narrow = is_narrow(variant.storage);
  const double half_step = half_step_of(variant.storage);
  Roundings steps = roundings(all.plan().graph);
  if (narrow && steps.all == 0) return;  // the same plan as in fp32
  if (narrow) steps.forward += c.bf16_roundings_inside;
  std::vector<Doubles> in;
  const uint64_t name = hash_bytes(c.name);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    in.push_back(draw(c.inputs[i], random_key(1, Purpose::generated, name, i), variant.storage));
  }
  const Doubles want = c.reference(in);
  const Doubles projection = draw({.shape = {static_cast<int64_t>(want.size())}},
                                  random_key(2, Purpose::generated, name), variant.storage);

  const Outcome one = all.run(in, projection, 1);
  expect_near_reference(one.out, want, c.tolerance, steps.forward, half_step);
  if (testing::Test::HasFatalFailure()) return;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!one.grads[i].empty())
      expect_gradient(c, in, projection, i, one.grads[i], steps.all, half_step);
  }
  for (const int threads : narrow ? std::vector<int>{3} : std::vector<int>{2, 3, 8}) {
    expect_same_bits(one, all.run(in, projection, threads),
                     fmt::format("1 and {} threads", threads));
  }
  if (c.exact_without_fusion && !narrow) {
    Variant unfused = variant;
    unfused.fused = false;
    CaseRun plain(c, unfused);
    expect_same_bits(one, plain.run(in, projection, 2), "fused and not fused");
  }
  for (const int replicas : narrow ? std::vector<int>{2} : std::vector<int>{2, 4}) {
    if (divides(c, replicas)) expect_replicas_independent(c, variant, in, projection, replicas);
  }
}

bool has_images(const OpCase& c) {
  for (const InputSpec& spec : c.inputs) {
    if (spec.shape.rank() == 4 && !spec.shared) return true;
  }
  return false;
}

}  // namespace

StorageRules narrowed_ops(DType type) {
  StorageRules rules{.bf16 = true, .narrow = type, .rules = {}};
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      if (op->narrowing == Narrowing::never || op->name == "cast") continue;
      rules.rules.push_back({std::string(op->name), "", {}, Narrowing::always});
    }
  }
  const std::string nodes(of_harness);
  rules.rules.push_back({"multiply", nodes, std::regex(nodes), Narrowing::never});
  return rules;
}

void check(const OpCase& c) {
  for (const DType storage : {DType::f32, DType::bf16, DType::f16}) {
    for (const bool blocked : {false, true}) {
      if (blocked && !has_images(c)) continue;
      if (storage == DType::f16 && blocked != has_images(c))
        continue;  // the same kernels as bf16's
      const testing::ScopedTrace trace(
          __FILE__, __LINE__,
          fmt::format("{}, {} {}", c.name, blocked ? "blocked" : "plain", name(storage)));
      check_variant(c, {.blocked = blocked, .storage = storage});
    }
  }
}

std::set<std::string> ops_in(const Graph& graph) {
  const auto is_bf16 = [&](Value v) { return graph.type(v).dtype == DType::bf16; };
  std::set<std::string> names;
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    names.emplace(node.op->name);
    if (std::ranges::any_of(node.in, is_bf16) || std::ranges::any_of(node.out, is_bf16)) {
      names.emplace(std::string(node.op->name) + std::string(in_bf16));
    }
  }
  return names;
}

std::set<std::string> ops_in(const OpCase& c) {
  std::set<std::string> names = ops_in(make_plan(c, {}).graph);
  names.merge(ops_in(make_plan(c, {.storage = DType::bf16}).graph));
  return names;
}

}  // namespace convoy::test
