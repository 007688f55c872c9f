// What the training plans of whole networks store in bf16, and which casts they need.

#include <gtest/gtest.h>

#include <map>

#include "compile/passes/passes.h"
#include "models/model.h"
#include "ops/vocabulary.h"
#include "train/tasks/task.h"

namespace convoy {
namespace {

// The training graph of a model after `choose_storage`.
Graph stored_graph(const std::string& model, const Shape& image) {
  const std::unique_ptr<Task> task = make_task({.model = find_model(model), .classes = 10});
  TaskGraph made = task->build({.batch = 2, .replicas = 1, .image = image, .train = true});
  const Vocabulary words = ops::vocabulary();
  fuse(made.graph, words.fusions, FusionRule::Stage::forward);
  add_gradients(made.graph, made.losses, made.loss_scale, words);
  fuse(made.graph, words.fusions, FusionRule::Stage::gradients);
  drop_dead_nodes(made.graph);
  choose_storage(made.graph, words, {.bf16 = true, .rules = {}});
  return std::move(made.graph);
}

// "bf16[2x3x64x64] image": of every cast, what it writes and what computes what it reads.
std::vector<std::string> casts_in(const Graph& graph) {
  std::vector<std::string> casts;
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    if (node.op->name != "cast") continue;
    const Node& maker = graph.producer(node.in[0]);
    casts.push_back(to_string(graph.type(node.out[0])) + " " +
                    (maker.op->kernel ? std::string(maker.op->name) : maker.name));
  }
  return casts;
}

TEST(NetworkStorage, ResNet50CastsTheImageTheLogitsAndTheirGradientAlone) {
  EXPECT_EQ(casts_in(stored_graph("resnet50", {3, 64, 64})),
            (std::vector<std::string>{"bf16[2x3x64x64] image", "f32[2x10] linear",
                                      "bf16[2x10] softmax_cross_entropy_grad"}));
}

TEST(NetworkStorage, OtherNetworksNeedFewMore) {
  for (const auto& [model, most] : std::map<std::string, size_t>{{"resnext50_32x4d", 3},
                                                                 {"efficientnet_b0", 3},
                                                                 {"mobilenet_v1", 3},
                                                                 {"squeezenet1_0", 3},
                                                                 {"cifar_resnet20", 3}}) {
    const Shape image =
        find_model(model).family.channels == 1 ? Shape{1, 64, 64} : Shape{3, 64, 64};
    EXPECT_LE(casts_in(stored_graph(model, image)).size(), most) << model;
  }
}

// All images between the first convolution and the last pooling, and their gradients.
TEST(NetworkStorage, NoImageStaysInFp32) {
  for (const char* model : {"resnet50", "efficientnet_b0", "squeezenet1_0"}) {
    const Graph graph = stored_graph(model, {3, 64, 64});
    for (const int id : graph.order) {
      const Node& node = graph.node(id);
      for (const Value v : node.out) {
        const TensorType& type = graph.type(v);
        const bool weights = graph.is_result(v) || graph.info(v).region == &regions::params;
        if (type.shape.rank() != 4 || type.dtype == DType::u8 || weights) continue;
        EXPECT_TRUE(type.dtype == DType::bf16 || node.name == "image") << node.name;
      }
    }
  }
}

}  // namespace
}  // namespace convoy
