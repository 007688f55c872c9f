// What is stored how, where casts are, and that a kernel never reads what it does not know.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compile/passes/passes.h"
#include "graph/verify.h"
#include "ops/byte_image.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/cast.h"
#include "ops/loss/softmax.h"
#include "ops/norm/batch_norm.h"
#include "ops/vocabulary.h"
#include "support/batch.h"
#include "support/golden.h"
#include "support/raises.h"
#include "support/session.h"
#include "support/small_net.h"

namespace convoy::test {
namespace {

StorageRules in_bf16(std::vector<StorageRules::Rule> rules = {}) {
  return {.bf16 = true, .rules = std::move(rules)};
}

Plan stored_plan(Graph graph, std::vector<Loss> losses, Value loss_scale, StorageRules storage,
                 PassWatch watch = {}) {
  CompileOptions options{.losses = std::move(losses), .loss_scale = loss_scale};
  options.vocabulary = ops::vocabulary();
  options.watch = std::move(watch);
  options.storage = std::move(storage);
  return compile(std::move(graph), options);
}

// relu(bn(conv(relu(x))) + x) and its gradient.
struct Block {
  Graph graph;
  Value loss, loss_scale;

  Block() {
    Builder b(graph);
    const Value x = ops::relu(b, b.param("x", {2, 16, 8, 8}, {}));
    loss_scale = b.input("loss_scale", {Shape{}});
    const Value y =
        ops::convolution(b, x, b.param("w", {16, 16, 3, 3}, {}), {.padding = ops::Padding::all(1)});
    const Value z = ops::batch_norm(b, y,
                                    {b.param("gamma", {16}, {}), b.param("beta", {16}, {}),
                                     b.stat("mean", {16}, 0), b.stat("variance", {16}, 1)});
    const Value out = ops::relu(b, ops::add(b, z, x));
    loss = ops::multiply(b, out, out);
    b.output("out", out);
    b.output("loss", loss);
  }
};

TEST(ChooseStorage, ABlockIsStoredInBf16ButForStateAndResults) {
  Block block;
  PassWatch watch;
  std::string text;
  watch.dump = {"choose_storage", "choose_layouts"};
  watch.print = [&](const std::string& title, const std::string& graph) {
    text += "# " + title + "\n" + graph + "\n";
  };
  stored_plan(std::move(block.graph), {{block.loss}}, block.loss_scale, in_bf16(), watch);
  expect_golden("bf16_around_conv.txt", text);
}

TEST(ChooseStorage, WithoutBf16NothingIsCast) {
  Graph graph;
  Builder b(graph);
  const SmallNet net = small_net(b, 8, 16);
  const Plan made = stored_plan(std::move(graph), {{net.loss}}, net.loss_scale, {});
  EXPECT_EQ(count_ops(made.graph, "cast"), 0);
  for (const int id : made.graph.order) {
    for (const Value v : made.graph.node(id).out) {
      EXPECT_FALSE(is_narrow(made.graph.type(v).dtype)) << made.graph.node(id).name;
    }
  }
}

TEST(ChooseStorage, AValueIsCastOnceForAllWhoWantIt) {
  Graph graph;
  Builder b(graph);
  const Value x = ops::relu(b, b.input("x", {{4, 8}}));
  b.output("square", ops::multiply(b, x, x));
  b.output("swish", ops::swish(b, x));
  b.output("twice", ops::add(b, x, x));
  const Plan made = stored_plan(std::move(graph), {}, {},
                                in_bf16({{"relu", "", {}, Narrowing::always},
                                         {"multiply", "", {}, Narrowing::never},
                                         {"swish", "", {}, Narrowing::never}}));
  // Down for relu, up for multiply and swish, and up what add gives.
  EXPECT_EQ(count_ops(made.graph, "cast"), 3);
}

// The pass alone.
Graph chosen(Graph graph, const StorageRules& rules) {
  choose_storage(graph, ops::vocabulary(), rules);
  verify(graph, "choose_storage");
  return graph;
}

TEST(ChooseStorage, OfTwoTypesASumTakesTheOneThatLosesNothingUnlessAListSaysOtherwise) {
  for (const Narrowing of_add : {Narrowing::follows, Narrowing::all, Narrowing::any}) {
    Graph graph;
    Builder b(graph);
    const Value x = ops::relu(b, b.input("x", {{4, 8}}));
    const Value sum = ops::add(b, x, ops::swish(b, x)), twice = ops::add(b, x, x);
    b.output("sum", sum);
    b.output("twice", twice);
    const Graph made = chosen(std::move(graph), in_bf16({{"relu", "", {}, Narrowing::always},
                                                         {"swish", "", {}, Narrowing::never},
                                                         {"add", "", {}, of_add}}));
    EXPECT_EQ(made.type(x).dtype, DType::bf16);
    EXPECT_EQ(made.type(sum).dtype, of_add == Narrowing::any ? DType::bf16 : DType::f32);
    EXPECT_EQ(made.type(twice).dtype, DType::bf16);
    for (const NamedValue& output : made.outputs) {
      EXPECT_EQ(made.type(output.value).dtype, DType::f32) << output.name;
    }
  }
}

TEST(ChooseStorage, ARuleCountsForTheNodesOfItsExpression) {
  Graph graph;
  Builder b(graph);
  Value x = b.input("x", {{4, 8}});
  Values made;
  for (const char* layer : {"layer1", "layer2"}) {
    const auto scope = b.scope(layer);
    made.push_back(x = ops::relu(b, x));
  }
  b.output("y", x);
  const Graph done = chosen(std::move(graph),
                            in_bf16({{"relu", "", {}, Narrowing::always},
                                     {"relu", "layer2", std::regex("layer2"), Narrowing::never}}));
  EXPECT_EQ(done.type(made[0]).dtype, DType::bf16);
  EXPECT_EQ(done.type(made[1]).dtype, DType::f32);
}

TEST(ChooseStorage, WhatOnlyListedOpsStoreIsWidenedForTheOthers) {
  Graph graph;
  Builder b(graph);
  const Value x = ops::relu(b, b.input("x", {{4, 8}}));
  const Value y = ops::swish(b, x);
  b.output("y", y);
  StorageRules rules = in_bf16({{"relu", "", {}, Narrowing::always}});
  rules.only_listed = true;
  const Graph made = chosen(std::move(graph), rules);
  EXPECT_EQ(made.type(x).dtype, DType::bf16);
  EXPECT_EQ(made.type(y).dtype, DType::f32);
}

// No cast of its own: the op writes the type that its only reader wants.
TEST(ChooseStorage, AnOpThatChoosesItsStorageWritesWhatItsReaderWants) {
  const auto tables = std::make_shared<const std::vector<float>>(3 * 256, 0.5f);
  for (const int readers : {1, 2}) {
    Graph graph;
    Builder b(graph);
    const Value image = ops::byte_image(b, b.input("x", {{2, 3, 4, 4}, DType::u8}), tables);
    b.output("y", ops::relu(b, image));
    if (readers == 2) b.output("z", ops::swish(b, image));
    const Graph made =
        chosen(std::move(graph),
               in_bf16({{"relu", "", {}, Narrowing::always}, {"swish", "", {}, Narrowing::never}}));
    EXPECT_EQ(made.type(image).dtype, readers == 1 ? DType::bf16 : DType::f32);
    EXPECT_EQ(count_ops(made, "cast"), readers) << "up for the output, and down for a second one";
  }
}

TEST(ChooseStorage, AWidenedValueIsNotRoundedAgain) {
  Graph graph;
  Builder b(graph);
  const Value narrow = b.input("x", {{4, 8}, DType::bf16});
  b.output("y", ops::relu(b, ops::cast(b, narrow, DType::f32)));
  const Graph made = chosen(std::move(graph), in_bf16({{"relu", "", {}, Narrowing::always}}));
  EXPECT_EQ(made.producer(made.producer(made.outputs[0].value).in[0]).in[0], narrow);
  EXPECT_EQ(count_ops(made, "cast"), 1) << "of the output";
}

TEST(ChooseStorage, StateAndResultsStayFp32) {
  Graph graph;
  Builder b(graph);
  const SmallNet net = small_net(b, 8, 16);
  const Plan made = stored_plan(std::move(graph), {{net.loss}}, net.loss_scale, in_bf16());
  EXPECT_GT(count_ops(made.graph, "cast"), 0);
  for (const Value v : made.graph.results()) EXPECT_EQ(made.graph.type(v).dtype, DType::f32);
  for (const Param& p : made.graph.params)
    EXPECT_EQ(made.graph.type(p.value).dtype, DType::f32) << p.name;
}

// Activations and their gradients.
bool is_image(const Graph& graph, Value v) {
  const int rank = graph.type(v).shape.rank();
  return (rank == 2 || rank == 4) && graph.producer(v).op->narrowing != Narrowing::never &&
         graph.type(v).dtype == DType::f32 && !graph.is_result(v);
}

// Rounds every activation and gradient of it to bf16 and back, in a graph that stores fp32 alone.
void round_images(Graph& graph) {
  const std::vector<int> order = graph.order;
  for (const int id : order) {
    const bool is_input = graph.node(id).name == "image";
    if (!graph.node(id).op->kernel && !is_input) continue;
    for (const Value v : Values(graph.node(id).out)) {
      const std::vector<int> readers = graph.readers(v);
      if (readers.empty() || !(is_input || is_image(graph, v))) continue;
      const auto at = std::ranges::find(graph.order, id) - graph.order.begin();
      Builder b(graph, static_cast<size_t>(at) + 1);
      const Value rounded = ops::cast(b, ops::cast(b, v, DType::bf16), DType::f32);
      for (const int reader : readers) {
        for (Value& in : graph.node(reader).in) in = in == v ? rounded : in;
      }
    }
  }
}

// The reference is a network in fp32 that rounds at the same points, so the same pixels win in
// poolings and the same elements pass a ReLU, but where a sum in another order is rounded to the
// neighbour. With fused gradients a norm also rounds the sum of two gradients that it stores.
TEST(ChooseStorage, ANetworkOnBf16ActivationsHasTheGradientsOfOneThatRoundsThem) {
  const SmallBatch batch(0, 8, 16);
  using Names = std::vector<std::string>;
  for (const Names& without : {Names{}, Names{"fuse_gradients"}}) {
    const auto session_of = [&](StorageRules storage, std::function<void(Graph&)> change) {
      Graph graph;
      Builder b(graph);
      const SmallNet net = small_net(b, 8, 16);
      graph.choices.winograd = Winograd::off;
      CompileOptions options{.losses = {{net.loss}}, .loss_scale = net.loss_scale};
      options.vocabulary = ops::vocabulary();
      options.watch.without = without;
      options.storage = std::move(storage);
      options.distribute = std::move(change);  // after fusion, as storage is chosen
      auto session = std::make_unique<Session>(compile(std::move(graph), options));
      batch.bind_to(*session, true);
      // Products may round weights on their own: this changes nothing.
      for (const Param& p : session->plan().graph.params) {
        for (float& weight : session->param(p.name)) weight = widened(narrowed(weight));
      }
      session->run();
      return session;
    };
    const auto wide = session_of({}, {}), narrow = session_of(in_bf16(), {});
    const auto rounded = session_of({}, round_images);
    EXPECT_GT(count_ops(narrow->plan().graph, "cast"), 0);
    EXPECT_LT(count_ops(narrow->plan().graph, "cast"), count_ops(rounded->plan().graph, "cast"))
        << "relu, add and the norms read and write bf16 themselves";
    for (size_t i = 0; i < wide->output("loss").size(); ++i) {
      EXPECT_NEAR(wide->output("loss")[i], narrow->output("loss")[i], 0.05);
      EXPECT_NEAR(rounded->output("loss")[i], narrow->output("loss")[i],
                  2e-3 * std::max(1.0F, rounded->output("loss")[i]));
    }
    double all_apart = 0, all_from_exact = 0;
    for (const Param& p : wide->plan().graph.params) {
      const std::span<float> a = rounded->grad(p.name), b = narrow->grad(p.name);
      const std::span<float> exact = wide->grad(p.name);
      double apart = 0, from_exact = 0, size = 0;
      for (size_t i = 0; i < a.size(); ++i) {
        apart += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
        from_exact += std::pow(static_cast<double>(exact[i]) - static_cast<double>(b[i]), 2);
        size += std::pow(static_cast<double>(a[i]), 2);
      }
      EXPECT_LE(std::sqrt(apart / size), 0.1) << p.name;
      all_apart += apart / size;
      all_from_exact += from_exact / size;
    }
    EXPECT_GT(all_from_exact, 4 * all_apart) << "the reference rounds elsewhere";
  }
}

TEST(ChooseStorage, AnOpRefusesStorageItDoesNotKnow) {
  Graph graph;
  Builder b(graph);
  const Value half = ops::cast(b, b.input("x", {{4, 8}}), DType::f16);
  const Value brain = ops::cast(b, b.input("z", {{4, 8}}), DType::bf16);
  expect_raises(Fault::usage,
                {"softmax needs f32 as input 0, not bf16[4x8]; try: a cast before it"},
                [&] { ops::softmax(b, brain); });
  expect_raises(Fault::usage, {"softmax needs f32 as input 0, not f16[4x8]"},
                [&] { ops::softmax(b, half); });
}

// A plan with an op whose kernel reaches for something else than the node has.
Types same(const Node&, std::span<const TensorType> in) { return {in[0]}; }
template <class Mistake>
void plan_with(const Mistake&) {
  static const OpDef mistaken{
      .name = "mistaken", .infer = same, .kernel = [](const Node&, const KernelSite& site) {
        Mistake()(site);
        return std::unique_ptr<Kernel>(new PhasedKernel);
      }};
  Graph graph;
  Builder b(graph);
  b.output("y", b.emit(mistaken, {b.input("x", {{4}})}));
  plan(std::move(graph));
}

TEST(ChooseStorage, AKernelOfAnotherTypeIsCaughtWhenThePlanIsMade) {
  plan_with([](const KernelSite& site) { site.input<float>(0); });
  expect_raises(Fault::bug, {"'mistaken' knows f64 as input 0, which is f32[4]"},
                [] { plan_with([](const KernelSite& site) { site.input<double>(0); }); });
  expect_raises(Fault::bug, {"'mistaken' knows bf16 as output 0, which is f32[4]"},
                [] { plan_with([](const KernelSite& site) { site.output<Bf16>(0); }); });
  expect_raises(Fault::bug, {"'mistaken' has no input 1"},
                [] { plan_with([](const KernelSite& site) { site.input<float>(1); }); });
}

}  // namespace
}  // namespace convoy::test
