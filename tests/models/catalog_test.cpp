// Every variant of every model family: it builds, can be trained and evaluated, has names that
// weight files can rely on. A new row in src/models is tested by being there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "app/model_facts.h"
#include "graph/verify.h"
#include "support/network.h"
#include "support/session.h"
#include "support/temp_folder.h"
#include "train/classification.h"
#include "train/network.h"
#include "train/tensors.h"

namespace convoy::test {
namespace {

constexpr int classes = 7;
constexpr int64_t batch = 8;
// More multiply-adds of a test image, or more parameters, take too long here.
constexpr double most_multiply_adds = 0.1e9;
constexpr int64_t most_parameters = 15'000'000;

// Small, and still enough for the end of every family.
int64_t small_image(const ModelDef& family) { return std::min(family.image_size / 2, 32); }

Shape image_of(const ModelDef& family) {
  return {family.channels, small_image(family), small_image(family)};
}

TaskGraph task_graph(const FoundModel& model, bool train) {
  return Classification(model.variant, classes, {})
      .build({.batch = batch, .image = image_of(model.family), .train = train});
}

class ModelsCatalog : public testing::TestWithParam<std::string> {
 protected:
  FoundModel model() const { return find_model(GetParam()); }
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) all.push_back(variant.name);
  }
  return all;
}

std::vector<std::string> first_of_each_family() {
  std::vector<std::string> some;
  for (const ModelDef& family : model_catalog()) some.push_back(family.variants.front().name);
  return some;
}

std::vector<std::string> small_ones() {
  std::vector<std::string> some = names();
  std::erase_if(some, [](const std::string& name) {
    const FoundModel model = find_model(name);
    const ModelFacts facts = model_facts(model, classes, int(small_image(model.family)));
    return facts.multiply_adds > most_multiply_adds || facts.trainable > most_parameters;
  });
  return some;
}

TEST_P(ModelsCatalog, BuildsAndEveryParameterGetsAGradient) {
  TaskGraph train = task_graph(model(), true), eval = task_graph(model(), false);
  verify(train.graph, "the training graph of " + GetParam());
  verify(eval.graph, "the evaluation graph of " + GetParam());
  const Plan gradients = plan(std::move(train.graph), train.losses, train.loss_scale);
  const Plan evaluation = plan(std::move(eval.graph));
  for (const Param& p : gradients.graph.params) EXPECT_TRUE(bool(p.grad)) << p.name;
  for (const Stat& s : gradients.graph.stats) EXPECT_TRUE(bool(s.batch)) << s.name;
  EXPECT_EQ(gradients.state, evaluation.state) << "the two plans cannot share their state";
}

TEST_P(ModelsCatalog, NamesAreUniqueAndTorchvisions) {
  const std::regex form(
      R"(([a-z][a-z0-9_]*\.)([a-z0-9_]+\.)*(weight|bias|running_mean|running_var))");
  const std::regex resnet(
      R"((conv1|bn1|bn_last|fc|layer[1-4]\.\d+\.((conv|bn)[1-3]|downsample\.[01]))\..*)");
  const Graph graph = task_graph(model(), false).graph;
  std::set<std::string> seen;
  const auto check = [&](const std::string& name) {
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_TRUE(std::regex_match(name, form)) << name;
    if (!model().family.family.ends_with("resnet")) return;
    EXPECT_TRUE(std::regex_match(name, resnet)) << name;
  };
  for (const Param& p : graph.params) check(p.name);
  for (const Stat& s : graph.stats) check(s.name);
  EXPECT_FALSE(seen.empty());
}

std::string plain_name(const testing::TestParamInfo<std::string>& given) { return given.param; }
INSTANTIATE_TEST_SUITE_P(All, ModelsCatalog, testing::ValuesIn(names()), plain_name);

class LearningCatalog : public ModelsCatalog {};

TEST_P(LearningCatalog, LearnsOneBatchByHeart) {
  const Shape image = image_of(model().family);
  const Classification task(model().variant, classes, {});
  const auto optimizer = default_optimizer("sgd");
  const NetworkPlans plans(
      task,
      {.image = image, .watch = {}, .optimizer = optimizer.get(), .step = {.micro_batch = batch}});
  Network network(plans, 2);
  network.state().initialize(1);
  const NoiseBatch data(batch, image, classes);
  std::vector<double> losses;
  for (int step = 0; step < 15; ++step) {
    const StepInputs inputs{.learning_rate = 0.01f, .step = float(step)};
    losses.push_back(
        network.steps().run(inputs, [&]() -> const Batch& { return data; }).mean_loss());
    ASSERT_TRUE(std::isfinite(losses.back())) << "step " << step;
  }
  EXPECT_LT(losses.back(), 0.7 * losses.front());
  for (const auto& slot : network.state().layout().params) {
    const auto g = network.state().grads().subspan(size_t(slot.offset), size_t(slot.count));
    EXPECT_TRUE(std::ranges::any_of(g, [](float x) { return x != 0; })) << slot.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, LearningCatalog, testing::ValuesIn(small_ones()), plain_name);

// One of each family: weights written after a step and read into another network make it the same.
class WeightsCatalog : public ModelsCatalog {};

TEST_P(WeightsCatalog, SurviveSafetensors) {
  const Shape image = image_of(model().family);
  const Classification task(model().variant, classes, {});
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

INSTANTIATE_TEST_SUITE_P(Families, WeightsCatalog, testing::ValuesIn(first_of_each_family()),
                         plain_name);

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
