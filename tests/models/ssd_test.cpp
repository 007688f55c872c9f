// SSD networks: size, names, initial weights, shapes, and what they refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "boxes/default_boxes.h"
#include "graph/verify.h"
#include "support/raises.h"
#include "support/session.h"
#include "train/checkpoint/load_weights.h"
#include "train/tasks/detection.h"

namespace convoy::test {
namespace {

constexpr float cut = 0.87962566103423978f;

TaskGraph graph_of(int classes, bool train, int64_t batch = 1, int64_t side = 300) {
  return DetectionTask(find_model("ssd_resnet34").variant, classes)
      .build({.batch = batch, .image = {3, side, side}, .train = train});
}

int64_t count_params(const Graph& graph, std::string_view prefix = "") {
  int64_t count = 0;
  for (const Param& p : graph.params) {
    if (p.name.starts_with(prefix)) count += p.shape.count();
  }
  return count;
}

const Param& param(const Graph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.params, name, &Param::name);
  if (found == graph.params.end()) raise(Fault::bug, "no parameter {}", name);
  return *found;
}

TEST(SsdCatalog, HasAsManyParametersAsMLPerfs) {
  const Graph graph = graph_of(81, false).graph;
  EXPECT_EQ(count_params(graph), 19972534);
  EXPECT_EQ(count_params(graph, "model."), 8170304);
  EXPECT_EQ(count_params(graph, "additional_blocks."), 3574400);
  EXPECT_EQ(count_params(graph, "conf."), 7840638);
  EXPECT_EQ(count_params(graph, "loc."), 387192);
  EXPECT_EQ(graph.stats.size(), 2u * 29);
}

TEST(SsdCatalog, NamesAreMLPerfs) {
  const Graph graph = graph_of(81, false).graph;
  EXPECT_EQ(param(graph, "model.layer1.0.weight").shape, (Shape{64, 3, 7, 7}));
  EXPECT_EQ(param(graph, "model.layer1.1.bias").shape, (Shape{64}));
  EXPECT_EQ(param(graph, "model.layer1.4.2.conv2.weight").shape, (Shape{64, 64, 3, 3}));
  EXPECT_EQ(param(graph, "model.layer1.5.0.downsample.0.weight").shape, (Shape{128, 64, 1, 1}));
  EXPECT_EQ(param(graph, "model.layer2.0.5.bn2.weight").shape, (Shape{256}));
  EXPECT_EQ(param(graph, "additional_blocks.2.0.weight").shape, (Shape{128, 512, 1, 1}));
  EXPECT_EQ(param(graph, "additional_blocks.4.2.bias").shape, (Shape{256}));
  EXPECT_EQ(param(graph, "loc.0.weight").shape, (Shape{16, 256, 3, 3}));
  EXPECT_EQ(param(graph, "conf.1.weight").shape, (Shape{486, 512, 3, 3}));
  EXPECT_EQ(param(graph, "conf.5.bias").shape, (Shape{324}));
  std::set<std::string> names;
  for (const Param& p : graph.params) EXPECT_TRUE(names.insert(p.name).second) << p.name;
}

TEST(SsdCatalog, StartsAsTensorFlowsRecipe) {
  const Graph graph = graph_of(81, false).graph;
  for (const Param& p : graph.params) {
    const bool trunk = p.name.starts_with("model.");
    if (p.shape.rank() == 4) {
      const auto window = static_cast<float>(p.shape[2] * p.shape[3]);
      const float in = static_cast<float>(p.shape[1]) * window;
      const float out = static_cast<float>(p.shape[0]) * window;
      const float scale = trunk ? std::sqrt(1 / in) / cut : std::sqrt(6 / (in + out));
      EXPECT_EQ(p.init.kind, trunk ? Init::Kind::truncated_normal : Init::Kind::uniform) << p.name;
      EXPECT_NEAR(p.init.scale, scale, 1e-5f * scale) << p.name;
    } else if (p.name.ends_with(".weight")) {
      const bool last = p.name.ends_with("bn2.weight");
      EXPECT_EQ(p.init.kind, last ? Init::Kind::zeros : Init::Kind::ones) << p.name;
    } else {
      EXPECT_EQ(p.init.kind, Init::Kind::zeros) << p.name;
    }
  }
}

TEST(SsdCatalog, TheMapsAreThoseOfItsDefaultBoxes) {
  for (const int64_t batch : {1, 3}) {
    for (const int classes : {2, 81}) {
      const TaskGraph task = graph_of(classes, false, batch);
      verify(task.graph, "the evaluation graph");
      const auto shape_of = [&](std::string_view name) {
        const auto found = std::ranges::find(task.graph.outputs, name,
                                             [](const auto& output) { return output.name; });
        return task.graph.type(found->value).shape;
      };
      EXPECT_EQ(shape_of("class_logits"), (Shape{batch, 8732, classes}));
      EXPECT_EQ(shape_of("box_codes"), (Shape{batch, 8732, 4}));
    }
  }
}

TEST(SsdCatalog, TrainingAndEvaluationShareTheirState) {
  TaskGraph train = graph_of(21, true, 2), eval = graph_of(21, false, 4);
  const Plan gradients = plan(std::move(train.graph), train.losses, train.loss_scale);
  const Plan evaluation = plan(std::move(eval.graph));
  for (const Param& p : gradients.graph.params) EXPECT_TRUE(bool(p.grad)) << p.name;
  for (const Stat& s : gradients.graph.stats) EXPECT_TRUE(bool(s.batch)) << s.name;
  EXPECT_EQ(gradients.state, evaluation.state);
}

TEST(SsdCatalog, OnlyTheClassHeadsFollowTheNumberOfClasses) {
  const std::set<std::string> heads = heads_of(find_model("ssd_resnet34"));
  EXPECT_EQ(heads.size(), 12u);
  for (const std::string& name : heads) EXPECT_TRUE(name.starts_with("conf.")) << name;
}

TEST(SsdCatalog, RefusesImagesOfAnotherSize) {
  expect_raises(Fault::usage, {"224x224", "--image-size 300"}, [] { graph_of(81, false, 1, 224); });
}

}  // namespace
}  // namespace convoy::test
