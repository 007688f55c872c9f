// Files that others wrote: ONNX's own tests of operators, and whole nets with constant weights,
// each with the outputs of their reference.

#include "export/onnx_import.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "export/exported.h"
#include "export/onnx_file.h"
#include "support/raises.h"
#include "support/shared_data.h"

namespace convoy {
namespace {

using Inputs = std::map<std::string, std::vector<float>>;

OnnxTensor read_tensor(const fs::path& path) {
  return decode_onnx_tensor(read_file(path, Fault::bug), path.string());
}

// What the import of a test's model gives, or why it is refused. Inputs beyond the first `computed`
// are constants of the model: weights, that is.
struct Outcome {
  std::string refusal;
  std::vector<float> got, wanted;
};
Outcome run_case(const fs::path& folder, size_t computed) {
  try {
    OnnxModel model = read_onnx(folder / "model.onnx");
    Inputs inputs;
    for (size_t i = 0; i < model.inputs.size(); ++i) {
      const fs::path file = folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
      if (!fs::exists(file)) continue;
      OnnxTensor tensor = read_tensor(file);
      tensor.name = model.inputs[i].name;
      if (i < computed) {
        inputs[tensor.name] = tensor.floats;
      } else {
        model.constants.push_back(std::move(tensor));
      }
    }
    OnnxImport import = import_onnx(model, 1, folder.filename().string());
    return {"",
            test::computed(std::move(import.graph), import.weights, inputs, model.outputs[0].name),
            read_tensor(folder / "test_data_set_0/output_0.pb").floats};
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint) << folder << ": " << error.what();
    return {error.what(), {}, {}};
  }
}

// Those that must run; others may, and are compared as well.
const std::set<std::string> must_run{"test_add",
                                     "test_averagepool_2d_default",
                                     "test_averagepool_2d_pads",
                                     "test_averagepool_2d_pads_count_include_pad",
                                     "test_averagepool_2d_precomputed_pads",
                                     "test_averagepool_2d_precomputed_same_upper",
                                     "test_averagepool_2d_precomputed_strides",
                                     "test_averagepool_2d_same_lower",
                                     "test_averagepool_2d_same_upper",
                                     "test_averagepool_2d_strides",
                                     "test_basic_conv_with_padding",
                                     "test_basic_conv_without_padding",
                                     "test_batchnorm_epsilon",
                                     "test_batchnorm_example",
                                     "test_conv_with_autopad_same",
                                     "test_conv_with_strides_and_asymmetric_padding",
                                     "test_conv_with_strides_no_padding",
                                     "test_conv_with_strides_padding",
                                     "test_flatten_axis1",
                                     "test_flatten_default_axis",

                                     "test_gemm_alpha",
                                     "test_gemm_beta",
                                     "test_gemm_default_no_bias",
                                     "test_gemm_default_scalar_bias",
                                     "test_gemm_default_vector_bias",
                                     "test_gemm_transposeB",
                                     "test_globalaveragepool",
                                     "test_globalaveragepool_precomputed",
                                     "test_leakyrelu",
                                     "test_maxpool_2d_default",
                                     "test_maxpool_2d_pads",
                                     "test_maxpool_2d_precomputed_pads",
                                     "test_maxpool_2d_precomputed_same_upper",
                                     "test_maxpool_2d_precomputed_strides",
                                     "test_maxpool_2d_same_lower",
                                     "test_maxpool_2d_same_upper",
                                     "test_maxpool_2d_strides",
                                     "test_relu",
                                     "test_sigmoid",
                                     "test_softmax_example",
                                     "test_softmax_large_number",
                                     "test_sum_example",
                                     "test_sum_two_inputs",
                                     "test_Conv2d",
                                     "test_Conv2d_depthwise",
                                     "test_Conv2d_depthwise_padded",
                                     "test_Conv2d_depthwise_strided",
                                     "test_Conv2d_depthwise_with_multiplier",
                                     "test_Conv2d_groups",
                                     "test_Conv2d_no_bias",
                                     "test_Conv2d_padding",
                                     "test_Conv2d_strided",
                                     "test_BatchNorm2d_eval",
                                     "test_AvgPool2d",
                                     "test_MaxPool2d",
                                     "test_Linear",
                                     "test_Linear_no_bias",
                                     "test_ReLU",
                                     "test_Sigmoid"};

TEST(OnnxImport, OperatorsAgreeWithOnnxsOwnTests) {
  const auto root = test::shared_data("fixtures/onnx");
  if (!root) GTEST_SKIP();
  std::set<std::string> ran, refused;
  for (const char* kind : {"node", "pytorch-converted", "pytorch-operator"}) {
    for (const auto& entry : fs::directory_iterator(*root / kind)) {
      const std::string name = entry.path().filename();
      Outcome outcome = run_case(entry.path(), 9);
      if (!outcome.refusal.empty()) outcome = run_case(entry.path(), 1);
      if (!outcome.refusal.empty()) {
        EXPECT_FALSE(must_run.contains(name)) << outcome.refusal;
        refused.insert(name);
        continue;
      }
      ran.insert(name);
      EXPECT_LT(test::difference(outcome.got, outcome.wanted), 1e-5) << name;
    }
  }
  for (const std::string& name : must_run) EXPECT_TRUE(ran.contains(name)) << name;
  std::cout << ran.size() << " of ONNX's tests ran, " << refused.size() << " were refused\n";
  EXPECT_GE(ran.size(), must_run.size());
}

// Every weight of a tensor is the same number there: structure, not values.
TEST(OnnxImport, WholeNetsAgreeWithTheirReference) {
  const auto folder = test::shared_data("fixtures/onnx/light");
  if (!folder) GTEST_SKIP();
  for (const std::string name : {"squeezenet", "resnet50", "densenet121", "inception_v2"}) {
    const OnnxModel model = read_onnx(*folder / ("light_" + name + ".onnx"));
    OnnxImport import = import_onnx(model, 1, name);
    ASSERT_EQ(import.graph.inputs.size(), 1u);
    const int64_t count = import.graph.type(import.graph.inputs[0].value).shape.count();
    std::vector<float> image(static_cast<size_t>(count));  // as their makers filled it
    for (size_t i = 0; i < image.size(); ++i)
      image[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(count));
    const Inputs inputs{{import.graph.inputs[0].name, image}};
    const auto got =
        test::computed(std::move(import.graph), import.weights, inputs, model.outputs[0].name);
    const auto wanted = read_tensor(*folder / ("light_" + name + "_output_0.pb")).floats;
    EXPECT_LT(test::difference(got, wanted), 1e-4) << name;
  }
}

// A few bytes that ask for gigabytes, once each node alone and once by their number.
TEST(OnnxImport, ConstantsFarLargerThanTheFileAreRefused) {
  const OnnxTensor shape{.name = "s", .shape = {1}, .type = OnnxTensor::s64, .whole = {1 << 26}};
  OnnxModel model{.opset = 13, .constants = {shape}, .inputs = {{"x", OnnxTensor::f32, {1, 3}}}};
  for (int i = 0; i < 3; ++i) {
    model.nodes.push_back({.op = "ConstantOfShape", .in = {"s"}, .out = {std::to_string(i)}});
  }
  test::expect_raises(Fault::checkpoint, {"far larger than the file"},
                      [&] { import_onnx(model, 1, "x.onnx"); });

  const OnnxTensor one{.name = "one", .shape = {1}, .floats = {1}};
  model = {.opset = 13,
           .nodes = {{.op = "Add", .in = {"x", "one"}, .out = {"y"}}},
           .constants = {one},
           .inputs = {{"x", OnnxTensor::f32, {1, 1 << 30}}},
           .outputs = {{"y", OnnxTensor::f32, {}}}};
  test::expect_raises(Fault::checkpoint, {"far larger than the file"},
                      [&] { import_onnx(model, 1, "x.onnx"); });
}

// Their names were once found in quadratic time.
TEST(OnnxImport, ManyNodesMayUseOneConstant) {
  constexpr int many = 30'000;
  OnnxModel model{.opset = 13,
                  .constants = {{.name = "one", .shape = {1}, .floats = {1}}},
                  .inputs = {{"x", OnnxTensor::f32, {1, 2}}},
                  .outputs = {{std::to_string(many), OnnxTensor::f32, {}}}};
  for (int i = 1; i <= many; ++i) {
    model.nodes.push_back({.op = "Gemm",
                           .in = {i == 1 ? "x" : std::to_string(i - 1), "w", "one"},
                           .out = {std::to_string(i)}});
  }
  model.constants.push_back({.name = "w", .shape = {2, 2}, .floats = {1, 0, 0, 1}});
  EXPECT_EQ(import_onnx(model, 1, "x.onnx").weights.size(), 2u * many);
}

}  // namespace
}  // namespace convoy
