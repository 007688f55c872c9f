// Plans for inference: one variant of every family gives what its evaluation plan gives. With
// folding no weight or sum is rounded more often than without, so in fp32 the two differ as two
// orders of summation do; in bf16 the folded network may not be further from fp32.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/network/model_facts.h"
#include "base/random.h"
#include "support/network.h"
#include "support/session.h"
#include "train/tasks/task.h"

namespace convoy::test {
namespace {

constexpr int64_t batch = 2;
constexpr int classes = 7;

int64_t side_of(const ModelDef& family) {
  return family.task == "detection" ? family.image_size : std::min(family.image_size, 64);
}

const Variant& smallest(const ModelDef& family) {
  return *std::ranges::min_element(family.variants, {}, [&](const Variant& variant) {
    return model_facts({family, variant}, classes, int(side_of(family))).multiply_adds;
  });
}

// How many nodes of the plans follow a convolution, or are folded.
struct Nodes {
  int single = 0, folded = 0;
};

struct Sides {
  bool inference;
  DType storage;
};

std::vector<float> outputs(const Task& task, const Shape& image, const Sides& sides, Nodes& nodes) {
  TaskGraph made = task.build({.batch = batch, .replicas = 1, .image = image, .train = false});
  const StorageRules storage{.bf16 = sides.storage == DType::bf16, .rules = {}};
  std::vector<std::string> names;
  for (const NamedValue& output : made.graph.outputs) {
    if (output.name.find("logits") != std::string::npos || output.name.find("code") == 0)
      names.push_back(output.name);
  }
  Session session(sides.inference ? inference_plan(std::move(made.graph), storage)
                                  : plan(std::move(made.graph), {}, {}, {}, storage));
  // Norms that change their inputs, and grow or shrink them by little.
  for (const auto* slots : {&session.plan().state.stats, &session.plan().state.params}) {
    for (const StateLayout::Slot& slot : *slots) {
      if (slot.shape.rank() != 1) continue;
      const bool is_stat = slots == &session.plan().state.stats;
      const auto values = is_stat ? session.stat(slot.name) : session.param(slot.name);
      const float middle = values[0];
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = middle + 0.2f * std::sin(static_cast<float>(i + slot.name.size()));
    }
  }
  std::vector<std::vector<std::byte>> memory;
  Random random(5);
  for (const NamedValue& input : session.plan().graph.inputs) {
    const TensorType& type = session.plan().graph.type(input.value);
    auto& bytes = memory.emplace_back(stored_bytes(type), std::byte{});
    if (input.name == "image") {
      auto* floats = reinterpret_cast<float*>(bytes.data());
      for (int64_t i = 0; i < type.shape.count(); ++i)
        floats[i] = static_cast<float>(random.normal());
    }
    session.bind(input.name, bytes.data());
  }
  session.run(2);
  std::vector<float> all;
  for (const std::string& name : names) {
    const std::vector<float> one = session.output(name);
    all.insert(all.end(), one.begin(), one.end());
  }
  EXPECT_FALSE(all.empty());
  const auto count = [&](const char* op) { return count_ops(session.plan().graph, op); };
  nodes.single += count("batch_norm_eval") + count("add_bias");
  nodes.folded += count("folded_convolution") + count("folded_convolution_add");
  return all;
}

double typical(const std::vector<float>& values) {
  double sum = 0;
  for (const float v : values) sum += double{v} * v;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

// Root mean square, relative.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return typical(difference) / typical(b);
}

class FoldedParity : public testing::TestWithParam<std::string> {};

TEST_P(FoldedParity, InferenceGivesWhatEvaluationGives) {
  const ModelDef& family = *std::ranges::find(model_catalog(), GetParam(), &ModelDef::family);
  const FoundModel model{family, smallest(family)};
  SCOPED_TRACE(model.variant.name);
  const Shape image{family.channels, side_of(family), side_of(family)};
  const auto task = make_task({.model = model, .classes = classes, .options = {}, .image = image});
  Nodes plain, inference;
  const std::vector<float> want = outputs(*task, image, {false, DType::f32}, plain);
  ASSERT_GT(typical(want), 0);
  const double folded = distance(outputs(*task, image, {true, DType::f32}, inference), want);
  EXPECT_LT(folded, 1e-5);
  EXPECT_EQ(inference.folded > 0, plain.single > 0);
  const double plain16 = distance(outputs(*task, image, {false, DType::bf16}, plain), want);
  const double folded16 = distance(outputs(*task, image, {true, DType::bf16}, inference), want);
  EXPECT_LT(folded16, 1.25 * plain16 + 1e-3);
  EXPECT_GT(folded16, 0);
}

std::vector<std::string> families() {
  std::vector<std::string> all;
  for (const ModelDef& family : model_catalog()) all.emplace_back(family.family);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Models, FoldedParity, testing::ValuesIn(families()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace convoy::test
