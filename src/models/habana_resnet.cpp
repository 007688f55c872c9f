// The ResNets and ResNeXts that Habana trains with TensorFlow: the stride of a bottleneck in its
// 3x3, TensorFlow's SAME padding, a projection at the start of every stage, batch norm.
//
//   habana_resnet50        from its estimator recipes; _v2: pre-activation
//   habana_resnext101      32 groups of 4 channels in the first stage's 3x3
//   habana_keras_resnet50  from its Keras recipes: the stem pads by 3 on every side, other initial
//                          weights

#include <fmt/core.h>

#include "models/residual.h"

namespace convoy {
namespace {

Style style_of(ConvStart conv, DenseStart dense) {
  Style style{.same_padding = true};
  style.conv = conv;
  style.dense = dense;
  return style;
}

}  // namespace

ModelDef habana_resnet_model() {
  ModelDef def{.family = "habana_resnet",
               .help =
                   "ResNets and ResNeXts (32x4d) as Habana trains them with TensorFlow and Keras: "
                   "SAME padding",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {},
               .describe = [](Fields& field) {
                 NormOptions().describe_epsilon(field);
                 ZeroGammaOption().describe(field);
               }};
  const auto add = [&](const std::string& name, const ResidualForm& form) {
    def.variants.push_back(residual_variant(name, form));
  };
  ResidualForm form{.blocks = {}, .bottleneck = true, .always_projects = true};
  form.style = style_of(ConvStart::truncated_fan_in, DenseStart::glorot);
  for (const ResidualDepth& depth : residual_depths) {
    if (depth.layers < 18 || depth.layers == 26) continue;
    form.blocks = depth.blocks;
    form.bottleneck = depth.bottleneck;
    add(fmt::format("habana_resnet{}", depth.layers), form);
    ResidualForm second = form;
    second.pre_activation = true;
    add(fmt::format("habana_resnet{}_v2", depth.layers), second);
    if (!depth.bottleneck || depth.layers == 200) continue;
    ResidualForm grouped = form;
    grouped.groups = 32;
    grouped.group_width = 4;
    add(fmt::format("habana_resnext{}", depth.layers), grouped);
    if (depth.layers != 50) continue;
    ResidualForm keras = form;
    keras.even_stem = true;
    keras.style = style_of(ConvStart::truncated_2_fan_in, DenseStart::normal);
    add("habana_keras_resnet50", keras);
  }
  return def;
}

}  // namespace convoy
