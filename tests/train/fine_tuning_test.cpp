// What is frozen stays as it is and costs nothing; what is not learns at its stage's rate.

#include "train/fine_tuning.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "support/network.h"
#include "train/step/network.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

constexpr int64_t batch = 4;
const Shape image{3, 32, 32};

Graph graph_of(const std::string& model) {
  Graph graph;
  Builder b(graph);
  const FoundModel found = find_model(model);
  const int64_t size = found.image_size();
  const Value x = b.input("image", {{1, 3, size, size}});
  found.variant.build(b, {x, b.input("key", {{1}, DType::s64}), 10});
  return graph;
}

std::vector<std::string> first_of_stages(const std::string& model) {
  const Graph graph = graph_of(model);
  std::vector<std::string> names;
  for (const std::vector<size_t>& stage : stages_of(graph)) {
    names.push_back(graph.params[stage.front()].name);
  }
  return names;
}

TEST(FineTuning, StagesAreThoseThatNamesTell) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(first_of_stages("resnet18"),
            (Names{"conv1.weight", "layer1.0.conv1.weight", "layer2.0.conv1.weight",
                   "layer3.0.conv1.weight", "layer4.0.conv1.weight", "fc.weight"}));
  const Names efficient = first_of_stages("efficientnet_b0");
  ASSERT_EQ(efficient.size(), 10u);
  EXPECT_EQ(efficient.front(), "features.0.0.weight");
  EXPECT_EQ(efficient.back(), "classifier.1.weight");
}

TEST(FineTuning, EachStageLearnsAtAShareOfTheNext) {
  Graph graph = graph_of("resnet18");
  FineTuning tuning;
  tuning.layer_decay = 0.5;
  tuning.freeze = {"layer1", "*.bn2.bias"};
  tuning.apply(graph, find_model("resnet18"));
  const auto rate = [&](const std::string& name) {
    return std::ranges::find(graph.params, name, &Param::name)->rate;
  };
  EXPECT_EQ(rate("fc.weight"), 1);
  EXPECT_EQ(rate("fc.bias"), 1);
  EXPECT_EQ(rate("layer4.1.conv2.weight"), 0.5f);
  EXPECT_EQ(rate("layer2.0.bn1.weight"), 0.125f);
  EXPECT_EQ(rate("bn1.weight"), 1.0f / 32);
  EXPECT_EQ(rate("layer1.0.conv1.weight"), 0);
  EXPECT_EQ(rate("layer3.0.bn2.bias"), 0);
  EXPECT_EQ(rate("layer3.0.bn2.weight"), 0.25f);
}

TEST(FineTuning, OnlyWhatIsNamedLearns) {
  Graph graph = graph_of("resnet18");
  FineTuning tuning;
  tuning.train_only = {"layer4.1", "fc"};
  tuning.apply(graph, find_model("resnet18"));
  for (const Param& p : graph.params) {
    EXPECT_EQ(p.rate != 0, p.name.starts_with("layer4.1.") || p.name.starts_with("fc.")) << p.name;
  }
}

TEST(FineTuning, APatternThatFitsNothingNamesTheNearest) {
  const auto message = [](const std::string& pattern) {
    Graph graph = graph_of("resnet18");
    FineTuning tuning;
    tuning.freeze = {pattern};
    try {
      tuning.apply(graph, find_model("resnet18"));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_NE(message("layer5").find("layer"), std::string::npos);
  EXPECT_NE(message("layer1.0.conv9.weight").find("layer1.0.conv"), std::string::npos);
  EXPECT_EQ(message("layer4.?.conv*"), "taken");
}

struct Trained {
  std::vector<float> before, after, stats_before, stats_after;
  StateLayout layout;
  double flops;
};

Trained train(const FineTuning& tuning, const std::string& optimizer, int steps = 2) {
  const FoundModel model = find_model("cifar_resnet8");
  const Classification task(model.variant, 10, {});
  const auto update = default_optimizer(optimizer);
  const NetworkPlans plans(task, {.image = image,
                                  .watch = {},
                                  .optimizer = update.get(),
                                  .tune = [&](Graph& graph) { tuning.apply(graph, model); },
                                  .step = {.micro_batch = batch}});
  Network network(plans, 2);
  State& state = network.state();
  state.initialize(1);
  // Memory that was used before: what has no gradient must not be read as one.
  std::ranges::fill(state.grads(), 1e30f);
  std::ranges::fill(state.batch_stats(), 1e30f);
  const auto copy = [](std::span<float> x) { return std::vector<float>(x.begin(), x.end()); };
  Trained t{copy(state.params()), {}, copy(state.stats()), {}, plans.state(), 0};
  const NoiseBatch data(batch, image, 10);
  for (int step = 0; step < steps; ++step) {
    const StepInputs inputs{.learning_rate = 0.1f, .step = static_cast<float>(step)};
    network.steps().run(inputs, [&]() -> const Batch& { return data; });
  }
  t.after = copy(state.params());
  t.stats_after = copy(state.stats());
  t.flops = plans.find("train")->flops;
  return t;
}

bool moved(const std::vector<float>& before, const std::vector<float>& after,
           const StateLayout::Slot& slot) {
  const auto first = static_cast<ptrdiff_t>(slot.offset), last = first + slot.count;
  return !std::equal(before.begin() + first, before.begin() + last, after.begin() + first);
}

TEST(FineTuning, WithAFrozenBodyOnlyTheHeadMovesAndNothingElseIsComputed) {
  for (const OptimizerDef& def : optimizer_catalog()) {
    const std::string optimizer(def.name);
    FineTuning tuning;
    tuning.freeze = {"all-but-head"};
    const Trained t = train(tuning, optimizer);
    for (const StateLayout::Slot& slot : t.layout.params) {
      EXPECT_EQ(moved(t.before, t.after, slot), slot.name.starts_with("fc."))
          << optimizer << " " << slot.name;
    }
    EXPECT_EQ(t.stats_before, t.stats_after) << optimizer;
    // Forward alone, of what is three times as much.
    EXPECT_LT(t.flops, 0.4 * train({}, optimizer, 0).flops);
  }
}

TEST(FineTuning, StatisticsMoveAsAskedFor) {
  FineTuning tuning;
  tuning.freeze = {"layer1"};
  for (const auto& [which, own, others] : {std::tuple{KeptStatistics::frozen, false, true},
                                           {KeptStatistics::none, true, true},
                                           {KeptStatistics::all, false, false}}) {
    tuning.statistics = which;
    const Trained t = train(tuning, "sgd");
    for (const StateLayout::Slot& slot : t.layout.stats) {
      EXPECT_EQ(moved(t.stats_before, t.stats_after, slot),
                slot.name.starts_with("layer1.") ? own : others)
          << word_of(which) << " " << slot.name;
    }
    for (const StateLayout::Slot& slot : t.layout.params) {
      EXPECT_EQ(moved(t.before, t.after, slot), !slot.name.starts_with("layer1."))
          << word_of(which) << " " << slot.name;
    }
  }
}

}  // namespace
}  // namespace convoy::test
