// SSD (Liu 2016) on the first stages of a ResNet, as MLPerf's detection benchmark has it: further
// layers that each give a smaller feature map, and on every map two heads, for the classes and for
// the codes of its default boxes. Parameters have the names and channel orders of MLPerf's PyTorch
// program, so that its files load; paddings are those of TensorFlow (SAME), which differ from
// PyTorch's where a stride of 2 meets an even size.
//
//   ssd_resnet34  300 x 300 pixels, 8,732 default boxes; the third stage of the trunk keeps 38 x 38
//   ssd_resnet18  the same with a shallower trunk
//   ssd_tiny      128 x 128 pixels, narrow stages, batch norms in the extra layers: minutes on a
//   CPU

#include <fmt/core.h>

#include "base/error.h"
#include "models/residual.h"
#include "models/ssd_boxes.h"
#include "ops/box_heads.h"
#include "ops/elementwise/activation.h"

namespace convoy {
namespace {

// A 1x1 and a 3x3 convolution with ReLU. The 3x3 halves the map with SAME padding, or has neither
// stride nor padding (`ssd_halves`).
struct ExtraLayers {
  int64_t inner, out;
};

struct SsdForm {
  ResidualForm trunk;               // its last stage gives the first map
  std::vector<ExtraLayers> extras;  // each gives a further one
  SsdBoxForm boxes;
  bool extra_norms = false;  // batch norms in place of the biases of the extra layers
};

constexpr int64_t code_numbers = 4;
// The heads have MLPerf's order x, y, width, height; box_codes are ty, tx, th, tw.
const std::vector<int> code_order{1, 0, 3, 2};

// Extra layers and heads.
const Style style{.same_padding = true, .conv = ConvStart::glorot_uniform};

Value extra_map(Builder& b, int number, Value x, const ExtraLayers& layers, bool norms) {
  const auto scope = b.scope(fmt::format("additional_blocks.{}", number));
  const bool halves = ssd_halves(b.shape(x)[2]);
  const auto layer = [&](int at, ConvSpec spec) {
    spec.bias = !norms;
    x = conv(b, std::to_string(at), x, spec, style);
    if (norms) x = norm(b, std::to_string(at + 1), x, style);
    x = ops::relu(b, x);
  };
  layer(0, {.out = layers.inner, .kernel = 1});
  layer(norms ? 3 : 2, {.out = layers.out, .stride = halves ? 2 : 1, .valid = !halves});
  return x;
}

Value ssd_network(Builder& b, const ModelInput& in, const SsdForm& form) {
  const Shape& image = b.shape(in.image);
  expect(image[2] == image[3], "square images");
  const DefaultBoxSpec boxes = ssd_boxes(form.boxes, in.options.read<SsdBoxOptions>(), image[2]);
  Values maps{residual_trunk(b, in.image, form.trunk, true)};
  while (maps.size() < boxes.maps.size()) {
    const size_t number = maps.size() - 1;
    maps.push_back(
        extra_map(b, static_cast<int>(number), maps.back(), form.extras[number], form.extra_norms));
    b.expose_stage(maps.back());
  }
  Values codes, logits;
  for (size_t i = 0; i < maps.size(); ++i) {
    const DefaultBoxMap& map = boxes.maps[i];
    expect(b.shape(maps[i])[2] == map.cells, "a map has a pixel for each cell");
    const auto head = [&](const char* kind, int64_t columns) {
      return conv(b, fmt::format("{}.{}", kind, i), maps[i],
                  {.out = columns * std::ssize(map.shapes), .bias = true}, style);
    };
    codes.push_back(head("loc", code_numbers));
    logits.push_back(head("conf", in.classes));
  }
  b.expose("box_codes", ops::join_box_heads(b, codes, code_numbers, code_order));
  return ops::join_box_heads(b, logits, in.classes);
}

Variant variant(std::string name, int image_size, int classes, const SsdForm& form) {
  expect(form.extras.size() + 1 == form.boxes.levels(), "an extra layer for each further map");
  return {.name = std::move(name),
          .build = [form](Builder& b, const ModelInput& in) { return ssd_network(b, in, form); },
          .image_size = image_size,
          .classes = classes,
          .boxes =
              [boxes = form.boxes](const ModelOptions& options, int64_t side) {
                return ssd_boxes(boxes, options.read<SsdBoxOptions>(), side);
              }};
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

SsdForm large(const std::array<int, 4>& blocks) {
  return {.trunk = trunk_of(blocks),
          .extras = {{256, 512}, {256, 512}, {128, 256}, {128, 256}, {128, 256}},
          .boxes = {.scales = {0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05},
                    .ratios = {{2}, {2, 3}, {2, 3}, {2, 3}, {2}, {2}},
                    .published = &ssd300_boxes()}};
}

SsdForm tiny() {
  ResidualForm trunk = trunk_of({1, 1, 2, 0});
  trunk.stem_planes = 32;
  trunk.stem_kernel = 3;
  trunk.planes = {32, 64, 96, 0};
  trunk.style.conv = ConvStart::kaiming_fan_out;
  return {.trunk = trunk,
          .extras = {{64, 128}, {64, 128}, {64, 128}},
          .boxes = {.scales = {0.1, 0.2, 0.35, 0.5, 0.7}, .ratios = {{2}, {2}, {2}, {2}}},
          .extra_norms = true};
}

}  // namespace

ModelDef ssd_model() {
  return {.family = "ssd",
          .help = "SSD detectors: default boxes of several sizes on the maps of a ResNet",
          .image_size = 300,
          .channels = 3,
          .classes = 81,
          .variants = {variant("ssd_resnet34", 300, 81, large({3, 4, 6, 3})),
                       variant("ssd_resnet18", 300, 81, large({2, 2, 2, 2})),
                       variant("ssd_tiny", 128, 9, tiny())},
          .describe = describe_options<SsdBoxOptions>,
          .task = "detection"};
}

}  // namespace convoy
