// Each op has its form, and what the form means is what our op computes: the model is encoded,
// decoded, imported and run beside the graph it came from.

#include "export/onnx_writer.h"

#include <gtest/gtest.h>

#include <set>

#include "export/exported.h"
#include "export/onnx_family.h"
#include "export/onnx_file.h"
#include "models/model.h"
#include "ops/box_heads.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/bias.h"
#include "ops/elementwise/dropout.h"
#include "ops/linear.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/pad.h"
#include "ops/pooling.h"
#include "ops/shape_ops.h"
#include "ops/shortcut.h"
#include "support/raises.h"
#include "version.h"

namespace convoy {
namespace {

using test::expect_raises;
using test::graph_of;
using test::WeightMap;
using Names = std::vector<std::string>;

const Shape image_shape{2, 6, 9, 9};

Value conv(Builder& b, Value x, const ops::ConvOptions& options, int64_t out = 8,
           const std::string& name = "conv") {
  const auto scope = b.scope(name);
  return ops::convolution(b, x, b.param("weight", {out, b.shape(x)[1] / options.groups, 3, 3}, {}),
                          options);
}

Value norm(Builder& b, Value x) {
  const Shape c{b.shape(x)[1]};
  return ops::batch_norm(b, x,
                         {b.param("bn.weight", c, {}), b.param("bn.bias", c, {}),
                          b.stat("bn.running_mean", c, 0), b.stat("bn.running_var", c, 1)},
                         {.epsilon = 1e-3f});
}

Value biased(Builder& b, Value x) {
  return ops::add_bias(b, x, b.param("conv.bias", {b.shape(x)[1]}, {}));
}

struct Form {
  std::string op;  // ours
  Names nodes;     // what it becomes
  test::Build build;
  bool fold = true;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{
      {"convolution", {"Conv"}, [](Builder& b, Value x) { return conv(b, x, {}); }},
      {"convolution",
       {"Conv"},
       [](Builder& b, Value x) {
         return conv(b, x, {.stride = 2, .padding = {1, 0, 2, 1}, .groups = 2});
       }},
      {"convolution",  // depthwise, TensorFlow's padding
       {"Conv"},
       [](Builder& b, Value x) {
         return conv(b, x, {.stride = 2, .padding = ops::Padding::like_tensorflow(), .groups = 6},
                     6);
       }},
      {"add_bias",
       {"Conv", "Relu"},
       [](Builder& b, Value x) { return ops::relu(b, biased(b, conv(b, x, {}))); }},
      {"add_bias", {"Add"}, [](Builder& b, Value x) { return biased(b, x); }},
      {"batch_norm_eval", {"BatchNormalization"}, [](Builder& b, Value x) { return norm(b, x); }},
      {"batch_norm_eval",
       {"Conv", "Relu"},
       [](Builder& b, Value x) { return ops::relu(b, norm(b, conv(b, x, {}))); }},
      {"batch_norm_eval",
       {"Conv", "BatchNormalization", "Relu"},
       [](Builder& b, Value x) { return ops::relu(b, norm(b, conv(b, x, {}))); },
       false},
      {"batch_norm_eval",
       {"Conv", "Relu"},
       [](Builder& b, Value x) { return ops::relu(b, norm(b, biased(b, conv(b, x, {})))); }},
      {"batch_norm_eval",
       {"Conv", "BatchNormalization", "Relu"},
       [](Builder& b, Value x) { return ops::relu(b, norm(b, biased(b, conv(b, x, {})))); },
       false},
      // Another node reads the value that the norm would absorb.
      {"batch_norm_eval",
       {"Conv", "BatchNormalization", "Add"},
       [](Builder& b, Value x) {
         const Value y = conv(b, x, {});
         return ops::add(b, norm(b, y), y);
       }},
      {"group_norm",
       {"Reshape", "InstanceNormalization", "Reshape", "Mul", "Add"},
       [](Builder& b, Value x) {
         return ops::group_norm(b, x, b.param("gn.weight", {6}, {}), b.param("gn.bias", {6}, {}),
                                {.groups = 3, .epsilon = 1e-2f});
       }},
      {"relu", {"Relu"}, [](Builder& b, Value x) { return ops::relu(b, x); }},
      {"leaky_relu",
       {"LeakyRelu"},
       [](Builder& b, Value x) { return ops::leaky_relu(b, x, 0.1f); }},
      {"sigmoid", {"Sigmoid"}, [](Builder& b, Value x) { return ops::sigmoid(b, x); }},
      {"swish", {"Sigmoid", "Mul"}, [](Builder& b, Value x) { return ops::swish(b, x); }},
      {"add", {"Relu", "Add"}, [](Builder& b, Value x) { return ops::add(b, x, ops::relu(b, x)); }},
      {"multiply",
       {"Relu", "Mul"},
       [](Builder& b, Value x) { return ops::multiply(b, ops::relu(b, x), x); }},
      {"gate",  // squeeze and excite
       {"GlobalAveragePool", "Flatten", "Reshape", "Mul"},
       [](Builder& b, Value x) {
         return ops::multiply(
             b, x, ops::reshape(b, ops::global_avg_pool(b, x), {b.shape(x)[0], 6, 1, 1}));
       }},
      {"concat",
       {"Relu", "Concat"},
       [](Builder& b, Value x) {
         return ops::concat(b, {x, ops::relu(b, x), x});
       }},
      {"max_pool",
       {"MaxPool"},
       [](Builder& b, Value x) {
         return ops::max_pool(b, x, {.size = 3, .stride = 2, .padding = {1, 1, 0, 1}});
       }},
      {"avg_pool",
       {"AveragePool"},
       [](Builder& b, Value x) {
         return ops::avg_pool(b, x, {.size = 3, .stride = 2, .padding = ops::Padding::all(1)});
       }},
      {"avg_pool",
       {"AveragePool"},
       [](Builder& b, Value x) {
         return ops::avg_pool(
             b, x, {.size = 3, .stride = 2, .padding = {1, 1, 0, 1}, .count_padding = false});
       }},
      {"global_avg_pool",
       {"GlobalAveragePool", "Flatten"},
       [](Builder& b, Value x) { return ops::global_avg_pool(b, x); }},
      {"linear",
       {"GlobalAveragePool", "Flatten", "Gemm"},
       [](Builder& b, Value x) {
         return ops::linear(b, ops::global_avg_pool(b, x), b.param("fc.weight", {4, 6}, {}),
                            b.param("fc.bias", {4}, {}));
       }},
      {"reshape",  // a dense layer whose weights are stored as filters
       {"GlobalAveragePool", "Flatten", "Gemm"},
       [](Builder& b, Value x) {
         const Value w = ops::reshape(b, b.param("fc.weight", {4, 6, 1, 1}, {}), {4, 6});
         return ops::linear(b, ops::global_avg_pool(b, x), w, b.param("fc.bias", {4}, {}));
       }},
      {"pad",
       {"Pad"},
       [](Builder& b, Value x) {
         return ops::pad(b, x, {1, 0, 2, 1});
       }},
      {"pad",
       {"Conv", "MaxPool"},
       [](Builder& b, Value x) {
         return ops::max_pool(b, ops::pad(b, x, {1, 0, 2, 1}), {.size = 3, .stride = 2});
       }},
      {"reshape",
       {"Reshape"},
       [](Builder& b, Value x) {
         return ops::reshape(b, x, {b.shape(x)[0], 54, 9});
       }},
      {"join_box_heads",  // of two maps with one and two shapes
       {"Slice", "Pad", "Reshape", "Transpose", "Reshape", "Transpose", "Concat"},
       [](Builder& b, Value x) {
         return ops::join_box_heads(b, {x, ops::subsample_shortcut(b, x, 12, 2)}, 6);
       }},
      {"join_box_heads",
       {"Reshape", "Transpose", "Concat", "Gather"},
       [](Builder& b, Value x) {
         return ops::join_box_heads(b, {x}, 3, {1, 2, 0});
       }},
      {"subsample_shortcut",
       {"Slice", "Pad"},
       [](Builder& b, Value x) { return ops::subsample_shortcut(b, x, 11, 2); }},
  };
  return all;
}

Names nodes_of(const OnnxModel& model) {
  Names names;
  for (const OnnxNode& node : model.nodes) names.push_back(node.op);
  return names;
}

TEST(OnnxWriter, EveryFormComputesWhatTheOpDoes) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(form.op);
    for (const bool fixed : {false, true}) {
      const Graph graph = graph_of(form.build, image_shape);
      const WeightMap weights = test::weights_of(graph);
      const OnnxModel model = test::exported(
          graph, weights, {.fold_batch_norm = form.fold, .fixed_batch = fixed, .name = "net"});
      EXPECT_EQ(nodes_of(model), form.nodes);
      EXPECT_EQ(model.inputs[0].dims, (std::vector<int64_t>{fixed ? 2 : -1, 6, 9, 9}));

      // A free batch serves another size too.
      const Shape other{fixed ? 2 : 3, 6, 9, 9};
      const std::map<std::string, std::vector<float>> inputs{
          {"image", test::noise("x", other.count())}};
      OnnxImport import = import_onnx(decode_onnx(encode_onnx(model), "net"), other[0], "net");
      const auto got = test::computed(std::move(import.graph), import.weights, inputs, "logits");
      const auto wanted = test::computed(graph_of(form.build, other), weights, inputs, "logits");
      EXPECT_LT(test::difference(got, wanted), 2e-6);
    }
  }
}

std::set<std::string_view> ops_with_forms() {
  std::set<std::string_view> all;
  for (const OnnxFamily& family : onnx_family_catalog()) {
    for (const OnnxForm& form : family.forms) all.insert(form.op);
  }
  return all;
}

TEST(OnnxWriterCatalog, EveryFormHasACaseAndBelongsToAnOp) {
  std::set<std::string_view> seen;
  for (const Form& form : forms()) seen.insert(form.op);
  EXPECT_EQ(seen, ops_with_forms());
}

TEST(OnnxWriterCatalog, EveryModelHasOnlyOpsWithForms) {
  const std::set<std::string_view> known = ops_with_forms();
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      Graph graph;
      Builder b(graph, false);
      const int size = variant.image_size ? variant.image_size : family.image_size;
      const Shape image{1, family.channels, size, size};
      variant.build(b, {b.input("image", {image}), b.input("key", {{1}, DType::s64}), 10});
      for (const int id : graph.order) {
        const OpDef& op = *graph.node(id).op;
        EXPECT_TRUE(!op.kernel || known.contains(op.name)) << variant.name << ": " << op.name;
      }
    }
  }
}

// Conv + BN + ReLU, pooled to logits.
Value small(Builder& b, Value x) {
  return ops::global_avg_pool(b, ops::relu(b, norm(b, conv(b, x, {}))));
}

TEST(OnnxWriter, FoldingScalesFiltersAndGivesABias) {
  const Graph graph = graph_of(small, image_shape);
  const WeightMap weights = test::weights_of(graph);
  const OnnxModel model = test::exported(graph, weights, {});
  ASSERT_EQ(model.constants.size(), 2u);
  EXPECT_EQ(model.constants[0].name, "conv.weight");
  EXPECT_EQ(model.constants[1].name, "conv.bias");
  for (size_t c = 0; c < 8; ++c) {
    const double scale =
        weights.at("bn.weight")[c] / std::sqrt(weights.at("bn.running_var")[c] + 1e-3);
    EXPECT_FLOAT_EQ(model.constants[0].floats[c * 54 + 7],
                    static_cast<float>(weights.at("conv.weight")[c * 54 + 7] * scale));
    EXPECT_FLOAT_EQ(
        model.constants[1].floats[c],
        static_cast<float>(weights.at("bn.bias")[c] - weights.at("bn.running_mean")[c] * scale));
  }
  const OnnxModel whole = test::exported(graph, weights, {.fold_batch_norm = false});
  ASSERT_EQ(whole.constants.size(), 5u);
  EXPECT_EQ(whole.constants[0].floats, weights.at("conv.weight"));
}

TEST(OnnxWriter, TheModelSaysWhatItIs) {
  const Graph graph = graph_of(small, image_shape);
  const WeightMap weights = test::weights_of(graph);
  const OnnxModel model = test::exported(graph, weights,
                                         {.opset = 18,
                                          .softmax = true,
                                          .name = "net",
                                          .metadata = {{"class-names", "a,b"}, {"x", ""}}});
  const OnnxModel read = decode_onnx(encode_onnx(model), "net");
  EXPECT_EQ(read.producer, "convoy");
  EXPECT_EQ(read.producer_version, version);
  EXPECT_EQ(read.opset, 18);
  EXPECT_EQ(read.ir_version, 8);
  EXPECT_EQ(read.name, "net");
  EXPECT_EQ(read.metadata, (Metadata{{"class-names", "a,b"}, {"x", ""}}));
  ASSERT_EQ(read.inputs.size(), 1u);
  EXPECT_EQ(read.inputs[0].name, "image");
  ASSERT_EQ(read.outputs.size(), 1u);
  EXPECT_EQ(read.outputs[0].name, "probabilities");
  EXPECT_EQ(read.outputs[0].dims, (std::vector<int64_t>{-1, 8}));
  EXPECT_EQ(read.nodes.back().op, "Softmax");

  const std::map<std::string, std::vector<float>> inputs{
      {"image", test::noise("x", image_shape.count())}};
  OnnxImport import = import_onnx(read, 2, "net");
  const auto p = test::computed(std::move(import.graph), import.weights, inputs, "probabilities");
  const auto logits = test::computed(graph_of(small, image_shape), weights, inputs, "logits");
  for (size_t i = 0; i < 2; ++i) {
    double sum = 0, total = 0;
    for (size_t k = 0; k < 8; ++k) sum += std::exp(logits[i * 8 + k]);
    for (size_t k = 0; k < 8; ++k) {
      EXPECT_NEAR(p[i * 8 + k], std::exp(logits[i * 8 + k]) / sum, 1e-6);
      total += p[i * 8 + k];
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST(OnnxWriter, NamesAreUniqueAndEqualWeightsGiveEqualBytes) {
  const auto twice = [](Builder& b, Value x) {
    return ops::relu(b, ops::relu(b, conv(b, conv(b, x, {}, 6), {}, 4, "conv2")));
  };
  const Graph graph = graph_of(twice, image_shape);
  const WeightMap weights = test::weights_of(graph);
  const OnnxModel model = test::exported(graph, weights, {});
  std::set<std::string> names{"image"};
  for (const OnnxTensor& t : model.constants) EXPECT_TRUE(names.insert(t.name).second) << t.name;
  for (const OnnxNode& n : model.nodes) EXPECT_TRUE(names.insert(n.out[0]).second) << n.out[0];
  const std::string bytes = encode_onnx(model);
  EXPECT_EQ(encode_onnx(test::exported(graph_of(twice, image_shape), weights, {})), bytes);
  WeightMap changed = weights;
  changed.at("conv.weight")[3] += 1;
  EXPECT_NE(encode_onnx(test::exported(graph, changed, {})), bytes);
}

TEST(OnnxWriter, WhatCannotBeWrittenIsRefused) {
  const Graph graph = graph_of(small, image_shape);
  WeightMap weights = test::weights_of(graph);
  std::vector<TensorEntry> all = test::entries(graph, weights);
  const OnnxModel model = export_onnx(graph, all, {});
  expect_raises(Fault::usage, {"ONNX", "try: --format safetensors"},
                [&] { encode_onnx(model, 1000); });
  EXPECT_EQ(encode_onnx(model, encode_onnx(model).size()), encode_onnx(model));
  expect_raises(Fault::usage, {"--format"},
                [&] { encode_onnx(model, encode_onnx(model).size() - 1); });

  all[0].shape = {54, 8};
  expect_raises(Fault::checkpoint, {"conv.weight", "54x8", "8x6x3x3"},
                [&] { export_onnx(graph, all, {}); });
  all.erase(all.begin());
  expect_raises(Fault::checkpoint, {"conv.weight"}, [&] { export_onnx(graph, all, {}); });

  // Training's own ops have no form.
  Graph training;
  Builder b(training, true);
  const Value x = b.input("image", {{2, 8}}), key = b.input("key", {{2}, DType::s64});
  b.output("logits", ops::dropout(b, x, key, 0.5f, 1));
  expect_raises(Fault::usage, {"dropout", "no ONNX form"}, [&] { export_onnx(training, {}, {}); });
}

}  // namespace
}  // namespace convoy
