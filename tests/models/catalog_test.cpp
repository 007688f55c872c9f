// Every variant of every model family: it builds, can be trained and evaluated, has names that
// weight files can rely on. A new row in src/models is tested by being there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

#include "app/model_facts.h"
#include "base/random.h"
#include "graph/verify.h"
#include "support/session.h"
#include "support/temp_folder.h"
#include "train/classification.h"
#include "train/network.h"
#include "train/tensors.h"

namespace convoy::test {
namespace {

constexpr int classes = 7;
constexpr int64_t batch = 8;
constexpr double small_model = 0.1e9;  // multiply-adds of a test image: more takes too long here

// Half the native size still reaches the end of every family.
int64_t small_image(const ModelDef& family) { return family.image_size / 2; }

Shape image_of(const ModelDef& family) {
  return {family.channels, small_image(family), small_image(family)};
}

TaskGraph task_graph(const FoundModel& model, bool train) {
  return Classification(model.variant, classes, {})
      .build({.batch = batch, .image = image_of(model.family), .train = train});
}

// The same images and labels at every step.
void fill(Batch& made, const Shape& image) {
  Random random(random_key(1, Purpose::generated));
  float* pixels = made.data<float>("image");
  for (int64_t i = 0; i < batch * image.count(); ++i) pixels[i] = float(random.normal());
  for (int64_t i = 0; i < batch; ++i) {
    made.data<int32_t>("label")[i] = int32_t(random.below(classes));
    made.data<float>("weight")[i] = 1;
  }
  made.valid = batch;
}

std::unique_ptr<Optimizer> default_optimizer(std::string_view name) {
  Fields defaults({});
  return find_optimizer(name).make(defaults);
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
    return model_facts(model, classes, int(small_image(model.family))).multiply_adds > small_model;
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
      R"((conv1|bn1|fc|layer[1-3]\.\d+\.((conv|bn)[1-3]|downsample\.[01]))\..*)");
  const Graph graph = task_graph(model(), false).graph;
  std::set<std::string> seen;
  const auto check = [&](const std::string& name) {
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_TRUE(std::regex_match(name, form)) << name;
    if (model().family.family != "cifar_resnet") return;
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
  Batch data(classification_tensors(batch, image));
  fill(data, image);
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
  Batch data(classification_tensors(batch, image));
  fill(data, image);
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

// The published numbers; those of projections and wide ones are of the PyTorch module in
// tests/fixtures/cifar_resnet.py.
struct Counts {
  const char* name;
  int64_t of_10, of_100;  // trainable, by classes
  int64_t statistics;
  double gmacs;  // 0: not published
};
constexpr Counts cifar_resnets[] = {
    {"cifar_resnet8", 75290, 81140, 480, .012},
    {"cifar_resnet14", 172506, 178356, 928, .026},
    {"cifar_resnet20", 269722, 275572, 1376, .041},
    {"cifar_resnet32", 464154, 470004, 2272, .069},
    {"cifar_resnet44", 658586, 664436, 3168, .097},
    {"cifar_resnet56", 853018, 858868, 4064, .125},
    {"cifar_resnet110", 1727962, 1733812, 8096, .253},
    {"cifar_resnet11_bottleneck", 127642, 150772, 2272, .020},
    {"cifar_resnet29_bottleneck", 313114, 336244, 4960, 0},
    {"cifar_resnet38_bottleneck", 405850, 428980, 6304, 0},
    {"cifar_resnet47_bottleneck", 498586, 521716, 7648, 0},
    {"cifar_resnet56_bottleneck", 591322, 614452, 8992, 0},
    {"cifar_resnet65_bottleneck", 684058, 707188, 10336, .101},
    {"cifar_resnet8_projection", 78042, 83892, 672, 0},
    {"cifar_resnet14_projection", 175258, 181108, 1120, 0},
    {"cifar_resnet20_projection", 272474, 278324, 1568, 0},
    {"cifar_resnet32_projection", 466906, 472756, 2464, 0},
    {"cifar_resnet44_projection", 661338, 667188, 3360, 0},
    {"cifar_resnet56_projection", 855770, 861620, 4256, 0},
    {"cifar_resnet110_projection", 1730714, 1736564, 8288, 0},
    {"cifar_resnet11_bottleneck_wide", 1978954, 2071204, 9088, 0},
    {"cifar_resnet29_bottleneck_wide", 4914250, 5006500, 19840, 0},
    {"cifar_resnet38_bottleneck_wide", 6381898, 6474148, 25216, 0},
    {"cifar_resnet47_bottleneck_wide", 7849546, 7941796, 30592, 0},
    {"cifar_resnet56_bottleneck_wide", 9317194, 9409444, 35968, 0},
    {"cifar_resnet65_bottleneck_wide", 10784842, 10877092, 41344, 0},
};

TEST(ModelTablesCatalog, CifarResNetsHaveThePublishedNumbers) {
  EXPECT_EQ(std::size(cifar_resnets), find_model("cifar_resnet8").family.variants.size());
  for (const Counts& row : cifar_resnets) {
    const ModelFacts ten = model_facts(find_model(row.name), 10);
    EXPECT_EQ(ten.trainable, row.of_10) << row.name;
    EXPECT_EQ(ten.statistics, row.statistics) << row.name;
    EXPECT_EQ(model_facts(find_model(row.name), 100).trainable, row.of_100) << row.name;
    if (row.gmacs == 0) continue;
    EXPECT_NEAR(ten.multiply_adds / 1e9, row.gmacs, 0.0005) << row.name;
  }
}

}  // namespace
}  // namespace convoy::test
