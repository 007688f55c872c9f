// The ResNets and ResNeXts of Graphcore's CNN training: torchvision's with TensorFlow's SAME
// padding, a projection at the start of every stage, and group norm unless --norm batch.
// Graphcore's fused preprocessing needs a stem of four channels: --stem-channels 4.

#include <fmt/core.h>

#include "models/residual.h"

namespace convoy {

ModelDef graphcore_resnet_model() {
  ModelDef def{.family = "graphcore_resnet",
               .help =
                   "ResNets and ResNeXts (32x4d) as Graphcore trains them: SAME padding, group "
                   "or batch norm",
               .image_size = 224,
               .channels = 3,
               .classes = 1000,
               .variants = {},
               .describe = describe_options<ResidualOptions>};
  Style style{.same_padding = true, .norm = NormKind::group, .group_epsilon = 1.53e-5f};
  style.conv = ConvStart::truncated_fan_in;
  style.dense = DenseStart::glorot;
  for (const bool grouped : {false, true}) {
    for (const ResidualDepth& depth : residual_depths) {
      if (depth.layers == 200 || (grouped && !depth.bottleneck)) continue;
      ResidualForm form{.blocks = depth.blocks, .bottleneck = depth.bottleneck};
      form.always_projects = form.zero_gammas = true;
      form.style = style;
      if (grouped) {
        form.groups = 32;
        form.group_width = 4;
      }
      def.variants.push_back(residual_variant(
          fmt::format("graphcore_resne{}{}", grouped ? "xt" : "t", depth.layers), form, 0.03f));
    }
  }
  return def;
}

}  // namespace convoy
