// Every variant of every family of classifiers: it builds, can be trained and evaluated, has names
// that weight files can rely on. A new row in src/models is tested by being there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "app/network/model_facts.h"
#include "graph/verify.h"
#include "support/network.h"
#include "support/session.h"
#include "support/temp_folder.h"
#include "train/checkpoint/tensors.h"
#include "train/step/network.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

constexpr int classes = 7;
constexpr int64_t batch = 8;
// More multiply-adds of a test image take too long here.
constexpr double most_multiply_adds = 0.02e9;

// Small, and still enough for the end of every family.
int64_t small_image(const ModelDef& family) { return std::min(family.image_size / 2, 32); }

Shape image_of(const ModelDef& family) {
  return {family.channels, small_image(family), small_image(family)};
}

TaskGraph task_graph(const FoundModel& model, bool train) {
  return Classification(model.variant, classes, {})
      .build({.batch = batch, .image = image_of(model.family), .train = train});
}

// A test is a family, so that not every variant is a process.
class ModelsCatalog : public testing::TestWithParam<std::string> {
 protected:
  static const ModelDef& family() {
    return *std::ranges::find(model_catalog(), GetParam(), &ModelDef::family);
  }
  // body(model, its name) for each variant; or those that are small, the smallest in any case.
  template <class Body>
  static void each(bool all, const Body& body) {
    const auto least = std::ranges::min_element(family().variants, {}, work);
    for (const Variant& variant : family().variants) {
      if (!all && &variant != &*least && work(variant) > most_multiply_adds) continue;
      SCOPED_TRACE(variant.name);
      body(FoundModel{family(), variant}, variant.name);
    }
  }
  // Multiply-adds of an image.
  static double work(const Variant& variant) {
    return model_facts({family(), variant}, classes, int(small_image(family()))).multiply_adds;
  }
};

std::vector<std::string> families() {
  std::vector<std::string> all;
  for (const ModelDef& family : model_catalog()) {
    if (family.task == "classification") all.emplace_back(family.family);
  }
  return all;
}

TEST_P(ModelsCatalog, ExposesItsStages) {
  each(true, [](const FoundModel& model, const std::string&) {
    Graph graph;
    Builder b(graph, false);
    const Shape image = image_of(model.family);
    const Value x = b.input("image", {{batch, image[0], image[1], image[2]}});
    const Value key = b.input("key", {{batch}, DType::s64});
    model.variant.build(b, {x, key, classes});
    ASSERT_FALSE(b.exposed().empty());
    int64_t side = image[1];
    for (size_t i = 0; i < b.exposed().size(); ++i) {
      const Value stage = b.exposed("stage" + std::to_string(i + 1));
      ASSERT_TRUE(stage) << i;
      EXPECT_EQ(b.shape(stage).rank(), 4) << i;
      EXPECT_LE(b.shape(stage)[2], side) << i;
      side = b.shape(stage)[2];
    }
    EXPECT_FALSE(b.exposed("stage0"));
  });
}

TEST_P(ModelsCatalog, BuildsAndEveryParameterGetsAGradient) {
  each(true, [](const FoundModel& model, const std::string& name) {
    TaskGraph train = task_graph(model, true), eval = task_graph(model, false);
    verify(train.graph, "the training graph of " + name);
    verify(eval.graph, "the evaluation graph of " + name);
    const Plan gradients = plan(std::move(train.graph), train.losses, train.loss_scale);
    const Plan evaluation = plan(std::move(eval.graph));
    for (const Param& p : gradients.graph.params) EXPECT_TRUE(bool(p.grad)) << p.name;
    for (const Stat& s : gradients.graph.stats) EXPECT_TRUE(bool(s.batch)) << s.name;
    EXPECT_EQ(gradients.state, evaluation.state) << "the two plans cannot share their state";
  });
}

TEST_P(ModelsCatalog, NamesAreUniqueAndTorchvisions) {
  const std::regex form(
      R"(([a-z][a-z0-9_]*\.)([a-z0-9_]+\.)*(weight|bias|running_mean|running_var))");
  const std::regex resnet(
      R"((conv1|bn1|bn_last|fc|layer[1-4]\.\d+\.((conv|bn)[1-3]|downsample\.[01]))\..*)");
  each(true, [&](const FoundModel& model, const std::string&) {
    const Graph graph = task_graph(model, false).graph;
    std::set<std::string> seen;
    const auto check = [&](const std::string& name) {
      EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
      EXPECT_TRUE(std::regex_match(name, form)) << name;
      if (!model.family.family.ends_with("resnet")) return;
      EXPECT_TRUE(std::regex_match(name, resnet)) << name;
    };
    for (const Param& p : graph.params) check(p.name);
    for (const Stat& s : graph.stats) check(s.name);
    EXPECT_FALSE(seen.empty());
  });
}

// The loss before and after some steps on one batch, in which every parameter gets a gradient.
std::pair<double, double> learn_one_batch(const FoundModel& model, float rate) {
  const Shape image = image_of(model.family);
  // A block that is dropped for all samples has no gradient.
  ModelOptions options;
  if (takes(model.family, "block-survival-prob")) options.set("block-survival-prob", "1");
  if (takes(model.family, "dropout-rate")) options.set("dropout-rate", "0");
  const Classification task(model.variant, classes, {}, options);
  const auto optimizer = default_optimizer("sgd");
  const NetworkPlans plans(
      task,
      {.image = image, .watch = {}, .optimizer = optimizer.get(), .step = {.micro_batch = batch}});
  Network network(plans, 2);
  network.state().initialize(1);
  const NoiseBatch data(batch, image, classes);
  std::vector<double> losses;
  for (int step = 0; step < 15; ++step) {
    const StepInputs inputs{.learning_rate = rate, .step = float(step)};
    losses.push_back(
        network.steps().run(inputs, [&]() -> const Batch& { return data; }).mean_loss());
    EXPECT_TRUE(std::isfinite(losses.back())) << "step " << step;
    if (step > 0) continue;
    for (const auto& slot : network.state().layout().params) {
      const auto g = network.state().grads().subspan(size_t(slot.offset), size_t(slot.count));
      EXPECT_TRUE(std::ranges::any_of(g, [](float x) { return x != 0; })) << slot.name;
    }
  }
  return {losses.front(), losses.back()};
}

TEST_P(ModelsCatalog, LearnOneBatchByHeart) {
  each(false, [](const FoundModel& model, const std::string&) {
    // What has few pixels to norm learns more slowly; what has no norm only begins to.
    const double enough = model.family.family == "squeezenet" ? 0.99 : 0.7;
    std::string seen;
    for (const float rate : {0.01f, 0.05f, 0.002f}) {
      const auto [first, last] = learn_one_batch(model, rate);
      if (last < enough * first) return;
      seen += fmt::format(" {} from {} at a rate of {};", last, first, rate);
    }
    ADD_FAILURE() << "learns at no rate:" << seen;
  });
}

// One of each family: weights written after a step and read into another network make it the same.
TEST_P(ModelsCatalog, SurviveSafetensors) {
  const Shape image = image_of(family());
  const Classification task(family().variants.front(), classes, {});
  const auto optimizer = default_optimizer("sgd");
  const NetworkPlans plans(task, {.image = image,
                                  .eval_batch = batch,
                                  .watch = {},
                                  .optimizer = optimizer.get(),
                                  .step = {.micro_batch = batch}});
  Network trained(plans, 1);
  trained.state().initialize(1);
  const NoiseBatch data(batch, image, classes);
  trained.steps().run({.learning_rate = 0.1f}, [&]() -> const Batch& { return data; });
  const TempFolder folder;
  const int64_t updates = 1;
  const auto written =
      model_tensors(trained.state().layout(), trained.state().params(), trained.state().stats());
  write_safetensors(folder / "w.safetensors", with_batch_counts(written, updates));

  const NetworkPlans evaluation(task, {.image = image, .eval_batch = batch, .watch = {}});
  Network other(evaluation, 1);
  const auto read =
      model_tensors(other.state().layout(), other.state().params(), other.state().stats());
  copy_tensors(SafetensorsFile::read(folder / "w.safetensors"), read);
  EXPECT_EQ(weights_hash(read), weights_hash(written));
  const auto logits = [&](Executor& run) {
    for (const NamedTensor& tensor : data.tensors()) run.try_bind(tensor.name, tensor.data);
    run.run();
    return std::vector<float>(run.output("logits"), run.output("logits") + batch * classes);
  };
  EXPECT_EQ(logits(*other.evaluation()), logits(*trained.evaluation()));
}

INSTANTIATE_TEST_SUITE_P(Families, ModelsCatalog, testing::ValuesIn(families()),
                         [](const auto& given) { return given.param; });

TEST(ModelTablesCatalog, NamesOfVariantsAreUniqueAndFound) {
  std::set<std::string> seen;
  for (const ModelDef& family : model_catalog()) {
    EXPECT_FALSE(family.help.empty()) << family.family;
    EXPECT_FALSE(family.variants.empty()) << family.family;
    for (const Variant& variant : family.variants) {
      EXPECT_TRUE(seen.insert(variant.name).second) << variant.name;
      EXPECT_EQ(&find_model(variant.name).variant, &variant);
    }
  }
}

}  // namespace
}  // namespace convoy::test
