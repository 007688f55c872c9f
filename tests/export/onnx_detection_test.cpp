// The nodes are well formed, with the constants of the default boxes. What they compute is compared
// by tests/interop/onnx_detector.py.

#include "export/onnx_detection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "export/exported.h"
#include "export/onnx_file.h"
#include "ops/box_heads.h"
#include "ops/shortcut.h"

namespace convoy {
namespace {

using Names = std::vector<std::string>;

constexpr int64_t classes = 3;

const DefaultBoxes& boxes() {
  static const DefaultBoxes all(
      {.image = 64, .maps = {{.cells = 3, .step = 16, .shapes = ssd_shapes(64, 20, 30, {})}}});
  return all;
}

// Heads of two default boxes in each of 3 x 3 cells, straight from the image.
OnnxModel network(bool fixed_batch) {
  Graph graph;
  Builder b(graph, false);
  const Value image = b.input("image", {{2, 6, 3, 3}});
  b.output("class_logits", ops::join_box_heads(b, {image}, classes));
  const Value more = ops::subsample_shortcut(b, image, 8, 1);  // with two channels of zeros
  b.output("box_codes", ops::join_box_heads(b, {more}, 4, {1, 0, 3, 2}));
  return test::exported(graph, {}, {.fixed_batch = fixed_batch, .name = "net"});
}

const OnnxNode* find_node(const OnnxModel& model, std::string_view op) {
  const auto found = std::ranges::find(model.nodes, op, &OnnxNode::op);
  return found == model.nodes.end() ? nullptr : &*found;
}

const OnnxTensor& constant(const OnnxModel& model, const std::string& name) {
  return *std::ranges::find(model.constants, name, &OnnxTensor::name);
}

// Each name is computed once, before it is read; every output is computed.
void expect_well_formed(const OnnxModel& model) {
  std::set<std::string> known{"image"};
  for (const OnnxTensor& tensor : model.constants) EXPECT_TRUE(known.insert(tensor.name).second);
  std::set<std::string> node_names;
  for (const OnnxNode& node : model.nodes) {
    EXPECT_TRUE(node_names.insert(node.name).second) << node.name;
    for (const std::string& name : node.in) EXPECT_TRUE(known.contains(name)) << name;
    for (const std::string& name : node.out) EXPECT_TRUE(known.insert(name).second) << name;
  }
  for (const OnnxValue& output : model.outputs) EXPECT_TRUE(known.contains(output.name));
}

TEST(OnnxDetection, GivesBoxesAndScoresOfAllDefaultBoxes) {
  OnnxModel model = network(false);
  add_detection(model, boxes(), nullptr);
  expect_well_formed(model);
  ASSERT_EQ(model.outputs.size(), 2u);
  EXPECT_EQ(model.outputs[0].name, "boxes");
  EXPECT_EQ(model.outputs[0].dims, (std::vector<int64_t>{-1, 18, 4}));
  EXPECT_EQ(model.outputs[1].name, "scores");
  EXPECT_EQ(model.outputs[1].dims, (std::vector<int64_t>{-1, 18, classes}));
  EXPECT_EQ(find_node(model, "NonMaxSuppression"), nullptr);
  const OnnxTensor& sizes = constant(model, "detection.default_sizes");
  const OnnxTensor& centres = constant(model, "detection.default_centres");
  ASSERT_EQ(sizes.shape, (Shape{1, 18, 2}));
  for (size_t i = 0; i < 18; ++i) {
    const CentredBox& box = boxes().centred()[i];
    EXPECT_EQ(sizes.floats[2 * i], box.h);
    EXPECT_EQ(sizes.floats[2 * i + 1], box.w);
    EXPECT_EQ(centres.floats[2 * i], box.cy);
    EXPECT_EQ(centres.floats[2 * i + 1], box.cx);
  }
}

TEST(OnnxDetection, WithADetectorGivesTheObjects) {
  const DetectorOptions options{
      .min_score = 0.25f, .max_overlap = 0.5f, .class_candidates = 7, .image_detections = 5};
  OnnxModel model = network(true);
  add_detection(model, boxes(), &options);
  expect_well_formed(model);
  std::vector<std::pair<std::string, std::vector<int64_t>>> outputs;
  for (const OnnxValue& output : model.outputs) {
    outputs.emplace_back(output.name, output.dims);
    const bool whole = output.name == "classes" || output.name == "counts";
    EXPECT_EQ(output.type, whole ? OnnxTensor::s64 : OnnxTensor::f32);
  }
  EXPECT_EQ(outputs,
            (std::vector<std::pair<std::string, std::vector<int64_t>>>{
                {"boxes", {2, 5, 4}}, {"scores", {2, 5}}, {"classes", {2, 5}}, {"counts", {2}}}));
  const OnnxNode* nms = find_node(model, "NonMaxSuppression");
  ASSERT_TRUE(nms);
  EXPECT_EQ(constant(model, nms->in[2]).whole, std::vector<int64_t>{7});
  // The operator keeps an overlap of exactly the limit, we do not.
  EXPECT_EQ(constant(model, nms->in[3]).floats, std::vector<float>{std::nextafter(0.5f, 0.0f)});
  EXPECT_EQ(constant(model, nms->in[4]).floats, std::vector<float>{0.25f});
  EXPECT_EQ(decode_onnx(encode_onnx(model), "net").outputs[2].type, OnnxTensor::s64);
}

TEST(OnnxDetection, CanBeTakenAwayAgain) {
  const OnnxModel plain = network(false);
  const DetectorOptions options;
  for (const DetectorOptions* detector : {static_cast<const DetectorOptions*>(nullptr), &options}) {
    OnnxModel model = plain;
    add_detection(model, boxes(), detector);
    EXPECT_GT(model.nodes.size(), plain.nodes.size() + 5);
    remove_detection(model);
    ASSERT_EQ(model.nodes.size(), plain.nodes.size());
    for (size_t i = 0; i < plain.nodes.size(); ++i) {
      EXPECT_EQ(model.nodes[i].name, plain.nodes[i].name);
    }
    EXPECT_EQ(model.constants.size(), plain.constants.size());
    const Shape image{2, 6, 3, 3};
    OnnxImport import = import_onnx(model, 2, "net");
    const std::map<std::string, std::vector<float>> inputs{
        {"image", test::noise("x", image.count())}};
    const auto logits = test::computed(std::move(import.graph), {}, inputs, "class_logits");
    // Row 9 is the second shape of the first cell; its columns are channels 1, 3 and 5.
    ASSERT_EQ(logits.size(), 2u * 18 * classes);
    for (size_t j = 0; j < classes; ++j) {
      EXPECT_EQ(logits[9 * classes + j], inputs.at("image")[(2 * j + 1) * 9]);
    }
  }
}

}  // namespace
}  // namespace convoy
