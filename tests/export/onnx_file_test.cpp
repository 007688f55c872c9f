// Files that are not what they claim to be: an error or a sound model, never a crash.

#include "export/onnx_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "export/exported.h"
#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/linear.h"
#include "ops/norm/batch_norm.h"
#include "ops/pooling.h"
#include "ops/shape_ops.h"
#include "ops/shortcut.h"
#include "support/raises.h"
#include "tensor/number_types.h"

namespace convoy {
namespace {

using test::expect_raises;

// A little of everything the writer writes.
std::string sound(bool bf16 = false) {
  const auto build = [](Builder& b, Value x) {
    x = ops::convolution(b, x, b.param("conv.weight", {2, 1, 3, 3}, {}),
                         {.padding = ops::Padding::all(1), .groups = 2});
    x = ops::batch_norm(
        b, ops::max_pool(b, x, {.size = 2, .stride = 1}),
        {b.param("g", {2}, {}), b.param("b", {2}, {}), b.stat("m", {2}, 0), b.stat("v", {2}, 1)});
    x = ops::swish(b, ops::subsample_shortcut(b, x, 3, 2));
    x = ops::reshape(b, ops::global_avg_pool(b, x), {b.shape(x)[0], 3});
    return ops::linear(b, x, b.param("fc.weight", {4, 3}, {}), b.param("fc.bias", {4}, {}));
  };
  const Graph graph = test::graph_of(build, {1, 2, 6, 6});
  return encode_onnx(test::exported(graph, test::weights_of(graph),
                                    {.fold_batch_norm = !bf16,
                                     .softmax = true,
                                     .bf16 = bf16,
                                     .name = "small",
                                     .metadata = {{"a", "b"}}}));
}

// The whole way of a file; true when it is a model that can be planned.
bool accepted(const std::string& bytes) {
  try {
    OnnxImport import = import_onnx(decode_onnx(bytes, "fuzz"), 1, "fuzz");
    for (const Param& p : import.graph.params)
      EXPECT_EQ(static_cast<int64_t>(import.weights.at(p.name).size()), p.shape.count());
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint) << error.what();
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    EXPECT_TRUE(std::string_view(error.what()).starts_with("fuzz: ")) << error.what();
    return false;
  }
}

TEST(OnnxFile, ATruncatedFileIsRefusedAtEveryLength) {
  const std::string bytes = sound();
  ASSERT_TRUE(accepted(bytes));
  // The last part of the file, metadata and operator set, may be missing unseen.
  for (size_t length = 0; length + 40 < bytes.size(); ++length) {
    ASSERT_FALSE(accepted(bytes.substr(0, length))) << length;
  }
}

TEST(OnnxFile, DamagedFilesGiveAnErrorOrASoundModelNeverACrash) {
  const std::string bytes = sound();
  int good = 0;
  for (size_t place = 0; place < bytes.size(); ++place) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[place] ^= static_cast<char>(1 << bit);
      good += accepted(damaged);
    }
  }
  EXPECT_GT(good, 100);  // names, metadata and weights may change unseen
  EXPECT_LT(good, static_cast<int>(bytes.size()) * 6);
  Random random(random_key(1, Purpose::generated));
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = bytes;
    const int changes = 1 + static_cast<int>(random.below(4));
    for (int i = 0; i < changes && !damaged.empty(); ++i) {
      const uint32_t place = random.below(static_cast<uint32_t>(damaged.size()));
      switch (random.below(4)) {
        case 0:
          damaged[place] = static_cast<char>(random.bits());
          break;
        case 1:
          damaged.erase(place, 1 + random.below(16));
          break;
        case 2:
          damaged.insert(place,
                         std::string(1 + random.below(12), static_cast<char>(random.bits())));
          break;
        default:
          damaged += damaged.substr(place, random.below(64));
          break;
      }
    }
    accepted(damaged);
  }
}

// The sound model with one thing changed.
void expect_refused(const std::function<void(OnnxModel&)>& change,
                    std::initializer_list<std::string_view> words) {
  OnnxModel model = decode_onnx(sound(), "m.onnx");
  change(model);
  expect_raises(Fault::checkpoint, words, [&] { import_onnx(model, 1, "m.onnx"); });
}

OnnxAttribute& attribute(OnnxModel& model, size_t node, const std::string& name) {
  for (OnnxAttribute& a : model.nodes[node].attributes) {
    if (a.name == name) return a;
  }
  throw std::runtime_error("no attribute " + name);
}

TEST(OnnxFile, WhatDoesNotFitTogetherIsRefusedByName) {
  expect_refused([](OnnxModel& m) { m.nodes[0].op = "Conw"; }, {"m.onnx: Conw", "no equal"});
  expect_refused([](OnnxModel& m) { m.nodes[0].op = "Conv\n\xff"; }, {"Conv??"});
  expect_refused([](OnnxModel& m) { m.nodes[0].domain = "com.example"; }, {"Conv", "no equal"});
  expect_refused([](OnnxModel& m) { m.nodes[0].in[1] = "nowhere"; },
                 {"Conv", "no node computes its input 1"});
  expect_refused([](OnnxModel& m) { m.nodes[0].in.resize(1); }, {"Conv", "input 1 is missing"});
  expect_refused([](OnnxModel& m) { m.nodes[0].out.clear(); }, {"Conv", "no output"});
  expect_refused([](OnnxModel& m) { m.nodes[1].out[0] = m.nodes[0].out[0]; }, {"computed twice"});
  expect_refused([](OnnxModel& m) { std::swap(m.nodes[0], m.nodes[1]); },
                 {"MaxPool", "no node computes"});
  expect_refused([](OnnxModel& m) { m.outputs[0].name = "x"; },
                 {"no node computes the output \"x\""});
  expect_refused([](OnnxModel& m) { m.outputs[0].name = "image"; }, {"no node computes"});
  expect_refused([](OnnxModel& m) { m.outputs.clear(); }, {"no output"});
  expect_refused([](OnnxModel& m) { m.inputs[0].dims[2] = -1; }, {"image", "known shape"});
  expect_refused([](OnnxModel& m) { m.inputs[0].dims[2] = INT64_MAX; }, {"image", "known shape"});
  expect_refused([](OnnxModel& m) { m.inputs[0].dims.resize(9, 1); }, {"image", "known shape"});
  expect_refused([](OnnxModel& m) { m.inputs[0].type = OnnxTensor::s64; }, {"image", "floats"});
  expect_refused([](OnnxModel& m) { m.constants.push_back(m.constants[0]); },
                 {"two tensors are called"});
  expect_refused([](OnnxModel& m) { m.constants[0].shape = {1, 2, 3, 3}; }, {"Conv"});
  expect_refused([](OnnxModel& m) { m.constants[0].type = 10; }, {"Conv", "type 10, not float"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "group").i = 0; }, {"0 groups"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "group").i = INT64_MIN; }, {"group"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "group").kind = OnnxAttribute::text; },
                 {"group", "kind"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "strides").ints = {0, 0}; }, {"strides"});
  expect_refused(
      [](OnnxModel& m) {
        attribute(m, 0, "strides").ints = {1, 2};
      },
      {"strides", "differ"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "dilations").ints = {2, 2}; }, {"dilated"});
  expect_refused(
      [](OnnxModel& m) {
        attribute(m, 0, "pads").ints = {-1, 0, 0, 0};
      },
      {"padded by -1"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "pads").ints.assign(4, 1 << 20); },
                 {"not reasonable"});
  expect_refused([](OnnxModel& m) { attribute(m, 0, "pads").ints.assign(4, INT64_MAX); }, {"pads"});
  expect_refused(
      [](OnnxModel& m) {
        attribute(m, 1, "kernel_shape").ints = {2, 3};
      },
      {"MaxPool", "no square"});
  expect_refused([](OnnxModel& m) { attribute(m, 1, "kernel_shape").ints = {9, 9}; }, {"MaxPool"});
}

TEST(OnnxFile, WeightsInBf16AreReadAsTheyWereRounded) {
  const OnnxModel wide = decode_onnx(sound(), "m"), narrow = decode_onnx(sound(true), "m");
  const OnnxImport import = import_onnx(narrow, 1, "m");
  size_t rounded = 0;
  for (const OnnxTensor& tensor : narrow.constants) {
    if (tensor.type != OnnxTensor::bf16) continue;
    ++rounded;
    EXPECT_GE(tensor.shape.rank(), 2);
    for (const float value : tensor.floats) EXPECT_EQ(widened(narrowed(value)), value);
  }
  EXPECT_EQ(rounded, 2u);
  const auto casts = std::ranges::count(narrow.nodes, "Cast", &OnnxNode::op);
  EXPECT_EQ(casts, 2);
  // A truncated file, and one whose casts say something else.
  const std::string bytes = sound(true);
  for (size_t length = 0; length < bytes.size(); length += 7) accepted(bytes.substr(0, length));
  for (const int64_t to : {0, 6, 16}) {
    OnnxModel other = narrow;
    for (OnnxNode& node : other.nodes) {
      if (node.op == "Cast") node.attributes[0].i = to;
    }
    expect_raises(Fault::checkpoint, {"m: Cast", "from type 16 to"},
                  [&] { import_onnx(other, 1, "m"); });
  }
}

TEST(OnnxFile, TensorsThatDoNotFitTheirShapeAreRefused) {
  OnnxModel model = decode_onnx(sound(), "m");
  const std::string good = encode_onnx(model);
  EXPECT_NO_THROW(decode_onnx(good, "m"));
  for (const char* text : {"", "PK\3\4 something", "\x08"}) {
    expect_raises(Fault::checkpoint, {"m.onnx: this is no ONNX"},
                  [&] { decode_onnx(text, "m.onnx"); });
  }
  // dims 3, type float, name t, raw data of 8 bytes
  const std::string head = "\x08\x03\x10\x01\x42\x01t";
  EXPECT_EQ(decode_onnx_tensor(head + "\x4a\x0c" + std::string(12, '\0'), "t").floats.size(), 3u);
  const auto refused = [&](const std::string& bytes, std::string_view word) {
    expect_raises(Fault::checkpoint, {"f: tensor \"t\"", word},
                  [&] { decode_onnx_tensor(bytes, "f"); });
  };
  const std::string narrow = "\x08\x03\x10\x10\x42\x01t";
  EXPECT_EQ(
      decode_onnx_tensor(narrow + std::string("\x4a\x06\x80\x3f\x00\x40\x40\x40", 8), "t").floats,
      (std::vector<float>{1, 2, 3}));
  refused(narrow + "\x4a\x04" + std::string(4, '\0'), "3 elements of 2 bytes, but 4 bytes");
  refused(head + "\x4a\x08" + std::string(8, '\0'), "3 elements of 4 bytes, but 8 bytes");
  refused(head, "3 elements in the shape, 0 in the list");
  refused(head + "\x70\x01", "another file");
  refused(head + "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a dimension of -1");
  refused(head + "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "too large");
  refused(head + std::string("\x08\x01\x08\x01\x08\x01\x08\x01\x08\x01\x08\x01"), "rank 7");
  expect_raises(Fault::checkpoint, {"cannot read no/such.onnx"}, [] { read_onnx("no/such.onnx"); });
}

}  // namespace
}  // namespace convoy
