#include "compile/compile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/norm/batch_norm.h"
#include "ops/vocabulary.h"
#include "support/batch.h"
#include "support/golden.h"
#include "support/session.h"
#include "support/small_net.h"
#include "tensor/isa.h"

namespace convoy::test {
namespace {

// relu(bn(conv(x)) + x) behind a stem, with a gradient for every output element.
struct Block {
  Graph graph;
  CompileOptions options;

  Block() {
    Builder b(graph);
    const Value image = b.input("image", {{2, 3, 8, 8}});
    const Value loss_scale = b.input("loss_scale", {Shape{}});
    const auto conv = ops::ConvOptions{.padding = ops::Padding::all(1)};
    const Value x = ops::convolution(b, image, b.param("stem.weight", {16, 3, 3, 3}, {}), conv);
    const Value y = ops::convolution(b, x, b.param("conv.weight", {16, 16, 3, 3}, {}), conv);
    const Value z =
        ops::batch_norm(b, y,
                        {b.param("bn.weight", {16}, {}), b.param("bn.bias", {16}, {}),
                         b.stat("bn.running_mean", {16}, 0), b.stat("bn.running_var", {16}, 1)});
    // The loss is a copy: a loss that fuses away would be another value.
    const Value out = ops::relu(b, ops::add(b, z, x));
    const Value loss = ops::multiply(b, out, out);
    b.output("out", out);
    b.output("loss", loss);
    options.losses = {{loss}};
    options.loss_scale = loss_scale;
    options.vocabulary = ops::vocabulary();
  }
};

TEST(Compile, PassesDoWhatTheGoldenTextShows) {
  Block block;
  std::string text;
  block.options.watch.dump = {"fuse_forward", "add_gradients", "fuse_gradients", "choose_layouts"};
  block.options.watch.print = [&](const std::string& title, const std::string& graph) {
    text += "# " + title + "\n" + graph + "\n";
  };
  compile(std::move(block.graph), block.options);
  expect_golden("conv_bn_add_relu.txt", text);
}

TEST(Compile, DumpsAndTimesThePassesItNames) {
  Block block;
  std::vector<std::string> titles;
  std::map<std::string, double> seconds;
  block.options.watch.dump = {"choose_layouts"};
  block.options.watch.print = [&](const std::string& title, const std::string&) {
    titles.push_back(title);
  };
  block.options.watch.seconds = &seconds;
  compile(std::move(block.graph), block.options);
  EXPECT_EQ(titles, std::vector<std::string>{"after choose_layouts"});
  for (const std::string& name : pass_names()) {
    EXPECT_EQ(seconds.contains(name), name != "fold_norms") << name;
  }
}

TEST(Compile, InferenceFoldsAndPacksOnce) {
  for (const bool folds : {true, false}) {
    Graph graph;
    Builder b(graph, false);
    const Value x = b.input("x", {{1, 4, 5, 5}});
    const Value y = ops::convolution(b, x, b.param("w", {8, 4, 3, 3}, {}), {});
    b.output("y", ops::batch_norm(b, y,
                                  {b.param("g", {8}, {}), b.param("b", {8}, {}),
                                   b.stat("m", {8}, 0), b.stat("v", {8}, 1)}));
    CompileOptions options{.vocabulary = ops::vocabulary(), .inference = true};
    if (!folds) options.watch.without = {"fold_norms"};
    const Plan made = compile(std::move(graph), options);
    EXPECT_TRUE(made.packs_once);
    EXPECT_EQ(count_ops(made.graph, "folded_convolution"), folds);
    EXPECT_EQ(count_ops(made.graph, "batch_norm_eval"), !folds);
    EXPECT_EQ(made.state.params.size(), 3u);
    EXPECT_EQ(made.state.stats.size(), 2u);
  }
}

TEST(Compile, LeavesOutEveryOptionalPassAndNoOther) {
  const std::vector<std::string> optional = pass_names(true);
  for (const std::string& name : pass_names()) {
    Block block;
    std::map<std::string, double> seconds;
    block.options.watch.without = {name};
    block.options.watch.seconds = &seconds;
    compile(std::move(block.graph), block.options);
    EXPECT_EQ(seconds.contains(name), !std::ranges::count(optional, name)) << name;
  }
}

Plan net_plan(int64_t width, bool train, std::vector<std::string> without = {}) {
  Graph graph;
  Builder b(graph, train);
  const SmallNet net = small_net(b, 8, 16, width);
  if (!train) return plan(std::move(graph), {}, {}, std::move(without));
  return plan(std::move(graph), {{net.loss}}, net.loss_scale, std::move(without));
}

TEST(Compile, TheGradientOfTheImageIsNotComputed) {
  const Plan made = net_plan(16, true);
  EXPECT_EQ(count_ops(made.graph, "convolution"), 9);
  EXPECT_EQ(count_ops(made.graph, "convolution_grad_weights"), 9);
  EXPECT_EQ(count_ops(made.graph, "convolution_grad_input"), 8);
}

TEST(Compile, AnEvaluationPlanHasNoGradientsAndNoTraining) {
  const Plan made = net_plan(16, false);
  for (const int id : made.graph.order) {
    EXPECT_EQ(made.graph.node(id).op->name.find("_grad"), std::string_view::npos);
  }
  EXPECT_EQ(count_ops(made.graph, "batch_norm"), 0);
  EXPECT_EQ(count_ops(made.graph, "batch_norm_eval"), 9);
  EXPECT_EQ(count_ops(made.graph, "dropout"), 0);
}

TEST(Compile, BlockedLayoutsAreKeptFromTheFirstConvolutionToTheLast) {
  for (const int64_t width : {16, 24, 5}) {
    for (const bool train : {true, false}) {
      const Plan made = net_plan(width, train);
      EXPECT_EQ(count_ops(made.graph, "reorder"), 0) << width;
      for (const int id : made.graph.order) {
        const Node& node = made.graph.node(id);
        if (!node.op->kernel || made.graph.type(node.out[0]).shape.rank() != 4) continue;
        const bool weights = node.op->name == "convolution_grad_weights";
        EXPECT_EQ(made.graph.type(node.out[0]).layout, weights ? Layout::plain : Layout::blocked)
            << node.op->name;
      }
    }
  }
}

TEST(Compile, FusesEveryNormWithWhatFollows) {
  const Plan made = net_plan(16, true);
  EXPECT_EQ(count_ops(made.graph, "relu"), 0);
  EXPECT_EQ(count_ops(made.graph, "relu_grad"), 0);
  EXPECT_EQ(count_ops(made.graph, "batch_norm"), 9);
  const Plan plain = net_plan(16, true, {"fuse_forward", "fuse_gradients"});
  EXPECT_EQ(count_ops(plain.graph, "relu"), 8);
  EXPECT_GE(count_ops(plain.graph, "add"), 3);
}

TEST(Compile, WithoutAnOptionalPassTheValuesAreTheSame) {
  const SmallBatch batch(0, 8, 16);
  std::vector<float> loss, grads;
  for (const auto& without : {std::vector<std::string>{},
                              {"fuse_forward"},
                              {"fuse_gradients"},
                              {"fuse_forward", "fuse_gradients"}}) {
    Session session(net_plan(16, true, without));
    batch.bind_to(session, true);
    session.run();
    const std::vector<float> now(session.state().grads().begin(), session.state().grads().end());
    if (loss.empty()) {
      loss = session.output("loss");
      grads = now;
    }
    EXPECT_EQ(session.output("loss"), loss);
    // Padding between the slots is not written; it holds NaNs.
    ASSERT_EQ(now.size(), grads.size());
    for (size_t i = 0; i < now.size(); ++i) {
      EXPECT_TRUE(now[i] == grads[i] || (std::isnan(now[i]) && std::isnan(grads[i]))) << i;
    }
  }
}

TEST(Compile, GradientsOfSeveralLossesAddUpWithTheirWeights) {
  Graph graph;
  Builder b(graph);
  const Value w = b.param("w", {4}, {Init::Kind::ones});
  const Value twice = ops::add(b, w, w), square = ops::multiply(b, w, w);
  b.output("twice", twice);
  b.output("square", square);
  const Value scale = b.input("scale", {Shape{}});
  Session session(plan(std::move(graph), {{twice, 0.5f}, {square, 3}}, scale));
  const float four = 4;  // one for each element
  session.bind("scale", &four);
  for (float& v : session.param("w")) v = 7;
  session.run();
  for (const float g : session.grad("w")) EXPECT_EQ(g, 0.5f * 2 + 3 * 2 * 7);
}

TEST(Compile, AParameterWithoutGradientIsNamed) {
  Graph graph;
  Builder b(graph);
  const Value y = ops::relu(b, b.param("used", {4}, {}));
  b.param("forgotten", {4}, {});
  b.output("y", y);
  const Value scale = b.input("scale", {Shape{}});
  try {
    plan(std::move(graph), {{y}}, scale);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("forgotten"), std::string::npos) << e.what();
  }
}

TEST(Compile, ALossMustBeAnOutput) {
  Graph graph;
  Builder b(graph);
  const Value y = ops::relu(b, b.param("w", {4}, {}));
  const Value scale = b.input("scale", {Shape{}});
  EXPECT_THROW(plan(std::move(graph), {{y}}, scale), Error);
}

TEST(Compile, CountsMultiplyAddsAsTwo) {
  Graph graph;
  Builder b(graph);
  const Value x = b.input("x", {{2, 16, 8, 8}});
  b.output("y", ops::convolution(b, x, b.param("w", {32, 16, 3, 3}, {}),
                                 {.padding = ops::Padding::all(1)}));
  EXPECT_EQ(plan(std::move(graph)).flops, 2.0 * 2 * 32 * 8 * 8 * 16 * 9);
}

}  // namespace
}  // namespace convoy::test
