// SSD (Liu 2016) on the first stages of a ResNet, as MLPerf's detection benchmark has it: further
// layers that each give a smaller feature map, and on every map two heads, for the classes and for
// the codes of its default boxes. Parameters have the names and channel orders of MLPerf's PyTorch
// program, so that its files load; paddings are those of TensorFlow (SAME), which differ from
// PyTorch's where a stride of 2 meets an even size.
//
//   ssd_resnet34  300 x 300 pixels, 8,732 default boxes; the third stage of the trunk keeps 38 x 38

#include <fmt/core.h>

#include "base/error.h"
#include "boxes/default_boxes.h"
#include "models/residual.h"
#include "ops/box_heads.h"
#include "ops/elementwise/activation.h"

namespace convoy {
namespace {

// A 1x1 and a 3x3 convolution with biases and ReLU. The 3x3 halves the map with SAME padding, or
// has neither stride nor padding.
struct ExtraLayers {
  int64_t inner, out;
  bool halves;
};

struct SsdForm {
  ResidualForm trunk;               // its last stage gives the first map
  std::vector<ExtraLayers> extras;  // each gives a further one
  const DefaultBoxSpec& boxes;
};

constexpr int64_t code_numbers = 4;
// The heads have MLPerf's order x, y, width, height; box_codes are ty, tx, th, tw.
const std::vector<int> code_order{1, 0, 3, 2};

// Extra layers and heads.
const Style style{.same_padding = true, .conv = ConvStart::glorot_uniform};

Value extra_map(Builder& b, int number, Value x, const ExtraLayers& layers) {
  const auto scope = b.scope(fmt::format("additional_blocks.{}", number));
  x = ops::relu(b, conv(b, "0", x, {.out = layers.inner, .kernel = 1, .bias = true}, style));
  const ConvSpec last{
      .out = layers.out, .stride = layers.halves ? 2 : 1, .bias = true, .valid = !layers.halves};
  return ops::relu(b, conv(b, "2", x, last, style));
}

void check_image(const Builder& b, const ModelInput& in, const DefaultBoxSpec& boxes) {
  const Shape& image = b.shape(in.image);
  const auto side = static_cast<int64_t>(boxes.image);
  if (image[2] == side && image[3] == side) return;
  raise(Fault::usage,
        "the default boxes of this network are for images of {0}x{0} pixels, not {1}x{2}; try: "
        "--image-size {0}",
        side, image[2], image[3]);
}

Value ssd_network(Builder& b, const ModelInput& in, const SsdForm& form) {
  check_image(b, in, form.boxes);
  Values maps{residual_trunk(b, in.image, form.trunk, true)};
  for (const ExtraLayers& layers : form.extras) {
    const int number = static_cast<int>(maps.size()) - 1;
    maps.push_back(extra_map(b, number, maps.back(), layers));
    b.expose_stage(maps.back());
  }
  expect(maps.size() == form.boxes.maps.size(), "each map has default boxes");
  Values codes, logits;
  for (size_t i = 0; i < maps.size(); ++i) {
    const DefaultBoxMap& map = form.boxes.maps[i];
    expect(b.shape(maps[i])[2] == map.cells, "a map has a pixel for each cell");
    const auto head = [&](const char* kind, int64_t columns) {
      return conv(b, fmt::format("{}.{}", kind, i), maps[i],
                  {.out = columns * map.shapes(), .bias = true}, style);
    };
    codes.push_back(head("loc", code_numbers));
    logits.push_back(head("conf", in.classes));
  }
  b.expose("box_codes", ops::join_box_heads(b, codes, code_numbers, code_order));
  return ops::join_box_heads(b, logits, in.classes);
}

Variant variant(std::string name, const SsdForm& form) {
  return {.name = std::move(name),
          .build = [form](Builder& b, const ModelInput& in) { return ssd_network(b, in, form); },
          .image_size = static_cast<int>(form.boxes.image),
          .boxes = &form.boxes};
}

// The first three stages of a ResNet of basic blocks, the third at stride 1, in MLPerf's names.
ResidualForm trunk_of(const std::array<int, 4>& blocks) {
  return {.blocks = blocks,
          .bottleneck = false,
          .same_pool = true,
          .stages = 3,
          .keeps_size_from = 2,
          .names = {.conv = "model.layer1.0",
                    .norm = "model.layer1.1",
                    .stages = {"model.layer1.4", "model.layer1.5", "model.layer2.0", nullptr}},
          .style = {.conv = ConvStart::truncated_fan_in}};
}

}  // namespace

ModelDef ssd_model() {
  const std::vector<ExtraLayers> extras{
      {256, 512, true}, {256, 512, true}, {128, 256, true}, {128, 256, false}, {128, 256, false}};
  return {.family = "ssd",
          .help = "SSD detectors: default boxes of several sizes on the maps of a ResNet",
          .image_size = 300,
          .channels = 3,
          .classes = 81,
          .variants = {variant("ssd_resnet34", {trunk_of({3, 4, 6, 3}), extras, ssd300_boxes()})},
          .task = "detection"};
}

}  // namespace convoy
