// SSD networks: size, names, initial weights, shapes, and what they refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
  return DetectionTask(find_model("ssd_resnet34").variant, classes, {3, side, side})
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

Shape logits_of(const FoundModel& model, const ModelOptions& options, const Shape& image) {
  const auto task = make_task({.model = model, .classes = 9, .options = options, .image = image});
  const Graph graph = task->build({.batch = 2, .image = image, .train = false}).graph;
  verify(graph, "the evaluation graph");
  const auto found = std::ranges::find(graph.outputs, "class_logits", &NamedValue::name);
  return graph.type(found->value).shape;
}

// Maps of n x n pixels, and the number of their shapes.
int64_t boxes_on(std::initializer_list<std::array<int64_t, 2>> maps) {
  int64_t boxes = 0;
  for (const auto& [cells, shapes] : maps) boxes += cells * cells * shapes;
  return boxes;
}

TEST(SsdCatalog, TheMapsFollowTheSizeOfTheImages) {
  const FoundModel tiny = find_model("ssd_tiny"), large = find_model("ssd_resnet18");
  const std::array<std::array<int64_t, 5>, 4> sizes{
      {{96, 12, 6, 3, 1}, {128, 16, 8, 4, 2}, {160, 20, 10, 5, 3}, {300, 38, 19, 10, 5}}};
  for (const auto& [side, a, b, c, d] : sizes) {
    EXPECT_EQ(logits_of(tiny, {}, {3, side, side}),
              (Shape{2, boxes_on({{a, 4}, {b, 4}, {c, 4}, {d, 4}}), 9}));
  }
  EXPECT_EQ(logits_of(large, {}, {3, 224, 224}),
            (Shape{2, boxes_on({{28, 4}, {14, 6}, {7, 6}, {4, 6}, {2, 4}, {1, 4}}), 9}));
  EXPECT_EQ(logits_of(large, {}, {3, 300, 300}), (Shape{2, 8732, 9}));
}

TEST(SsdCatalog, OptionsGiveTheDefaultBoxes) {
  const FoundModel tiny = find_model("ssd_tiny");
  const Shape image{3, 128, 128};
  EXPECT_EQ(logits_of(tiny, {{"box-levels", "2"}}, image),
            (Shape{2, boxes_on({{16, 4}, {8, 4}}), 9}));
  EXPECT_EQ(
      logits_of(tiny, {{"box-levels", "1"}, {"box-scales", "0.2,0.4"}, {"box-ratios", "2,3,4"}},
                image),
      (Shape{2, boxes_on({{16, 8}}), 9}));
  const ModelOptions fitted{{"default-boxes", "0.1x0.2,0.25x0.5+0.5x0.25+0.9x0.9"}};
  EXPECT_EQ(logits_of(tiny, fitted, image), (Shape{2, boxes_on({{16, 1}, {8, 3}}), 9}));
  const DefaultBoxSpec spec = tiny.variant.boxes(fitted, 128);
  EXPECT_EQ(spec.maps[1].shapes[1], (BoxShape{.height = 0.25, .width = 0.5}));
  EXPECT_EQ(spec.maps[1].step, 16);
  const DefaultBoxSpec scaled = tiny.variant.boxes({{"box-scales", "0.1,0.2,0.4,0.5,0.8"}}, 96);
  EXPECT_DOUBLE_EQ(scaled.maps[2].shapes[0].width, 0.4);
  EXPECT_DOUBLE_EQ(scaled.maps[3].shapes[1].height, std::sqrt(0.5 * 0.8));
}

TEST(SsdCatalog, RefusesWhatGivesNoDefaultBoxes) {
  const FoundModel tiny = find_model("ssd_tiny");
  const auto refused = [&](const ModelOptions& options,
                           std::initializer_list<std::string_view> words,
                           const Shape& image = {3, 128, 128}) {
    expect_raises(Fault::usage, words, [&] { logits_of(tiny, options, image); });
  };
  refused({}, {"32x32", "--box-levels 3"}, {3, 32, 32});
  refused({}, {"square", "96 x 128"}, {3, 96, 128});
  refused({{"box-scales", "0.1,0.2"}}, {"--box-scales has 2", "4 maps need 5", "--box-levels 1"});
  refused({{"box-scales", "0,0.2,0.3,0.4,0.5"}}, {"above 0"});
  refused({{"box-ratios", "1"}}, {"--box-ratios", "above 1"});
  refused({{"box-levels", "5"}}, {"4 maps", "not 5"});
  refused({{"default-boxes", "0.1x0.1,2x1"}}, {"'2x1'"});
  refused({{"default-boxes", "0.1x0.1"}, {"box-ratios", "2"}}, {"--default-boxes", "one way"});
  refused({{"default-boxes", "0.1x0.1"}, {"box-levels", "2"}}, {"1 maps", "--box-levels says 2"});
}

// The trunk has torchvision's shapes, so its weights fit.
TEST(SsdCatalog, Resnet18HasTheStagesOfAResnet18) {
  const auto shapes_of = [](const char* name) {
    const Graph graph = used_graph({.model = find_model(name)});
    std::vector<Shape> shapes;
    for (const Param& p : graph.params) shapes.push_back(p.shape);
    return shapes;
  };
  const std::vector<Shape> detector = shapes_of("ssd_resnet18"), classifier = shapes_of("resnet18");
  const Graph graph = used_graph({.model = find_model("ssd_resnet18")});
  const auto trunk = std::ranges::count_if(
      graph.params, [](const Param& p) { return p.name.starts_with("model."); });
  EXPECT_EQ(trunk, 3 + 12 * 3 + 2 * 3);
  EXPECT_TRUE(std::equal(detector.begin(), detector.begin() + trunk, classifier.begin()));
}

}  // namespace
}  // namespace convoy::test
